"""One value of every concept and part, typed to `harness sweep`, changes what it stores."""

from __future__ import annotations

import contextlib
import functools
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from harness.__main__ import main
from harness.command import note_typed
from harness.core.configuration.composition import compose
from tests.world.generate import write

BARE = ("grid=point", "encoder=hashed", "tracking=none")
POINT = (*BARE, "extractor.model=null")
EVEN = (*POINT, "fuser=linear", "fuser.alpha=0.5")
WARM = (*POINT, "fuser.alpha=0.5", "fuser.beta=0")
WEIGHTS = (*POINT, "fuser=weighted_rrf", "pool.lists=[dense,bm25,graph]")
MENTIONS = [pytest.mark.slow, pytest.mark.plugin("mentions")]
POLICY, RELATIONAL = ((*POINT, f"reranker={name}") for name in ("policy", "relational"))
CASES: dict[str, list[Any]] = {
    "dataset": [(POINT, "dataset.path=OTHER")],
    "encoder": [(POINT, "encoder.dimension=64")],
    "extractor": [(POINT, "extractor.spans=false")],
    "graph": [(POINT, "graph.synonym=null")],
    "lists": [
        (POINT, "lists.dense.depth=3"),
        (POINT, "lists.graph.restart=0.2"),
        (POINT, "lists.bm25.k1=0.1"),
        (POINT, "retriever@lists.bm25=dense"),
    ],
    "seeds": [
        pytest.param(POLICY, "seeds.policy.seed.cap=1", marks=pytest.mark.plugin("policyrag"))
    ],
    "relations": [
        pytest.param(
            RELATIONAL,
            "relations.names=null",
            marks=[pytest.mark.slow, pytest.mark.plugin("mentions")],
        )
    ],
    "normalizer": [(EVEN, "normalizer=minmax"), (EVEN, "normalizer.kind=strict")],
    "temperature": [
        (WARM, "temperature=fixed"),
        ((*WARM, "temperature=fixed"), "temperature.T=0.1"),
    ],
    "fuser": [(POINT, "fuser=rrf"), (POINT, "fuser.alpha=0.2")],
    "reranker": [
        pytest.param(POINT, "reranker=ising", marks=pytest.mark.plugin("phasegraph")),
        pytest.param(
            (*POINT, "reranker=ising"), "reranker.blend=0.9", marks=pytest.mark.plugin("phasegraph")
        ),
    ],
    "pool": [
        (POINT, "pool.cap=3"),
        (POINT, "pool.lists=[dense,bm25]"),
        ((*POINT, "pool.cap=3"), "pool.capped=[dense]"),
        (WEIGHTS, "pool.importance=PRIOR"),
    ],
    "grid": [(POINT, "+grid.mine={fuser:[rrf],fuser.k:[7]}")],
    "split": [(POINT, "split=disjoint")],
    "reference": [(POINT, "reference=graph")],
    "objective": [(POINT, "objective=recall@2")],
    "metrics": [(POINT, "metrics=[ndcg@3]")],
}
"""By key of conf/config.yaml: what is typed first, and the overrides that are added."""
ELSEWHERE = {"paths", "tracking", "device", "dry_run", "margin", "own_document"}
"""Where results are kept, shown and computed, and what is said of an interval; ``own_document``
changes the lists of questions that are documents, which these worlds lack (test_own_document).
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two worlds, the prior importance of a document, and triples of somebody else's extraction."""
    folder = tmp_path_factory.mktemp("knobs")
    world = write(folder / "world", 250)
    write(folder / "OTHER", 300)
    with gzip.open(world / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        passages = [json.loads(line) for line in lines]
    rows = [
        {
            "id": one["id"],
            "entities": [one["title"], "Ayrland"],
            "triples": [[one["title"], "in", "Ayrland"]],
        }
        for one in passages
    ]
    (folder / "found.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "PRIOR").write_text(
        json.dumps({one["id"]: number % 2 for number, one in enumerate(passages)})
    )
    return folder


@pytest.fixture(scope="module")
def stored(place: Path) -> Callable[..., tuple[pd.DataFrame, NDArray[np.int32]]]:
    """``stored(*overrides)``: what a sweep stores of its trials, but for what they are called, and
    their ranks.
    """

    @functools.cache
    def sweep(*given: str) -> tuple[pd.DataFrame, NDArray[np.int32]]:
        typed = ["dataset=folder", "dataset.path=world", f"paths.runs={place}/runs", *given]
        typed = list(
            {text.partition("=")[0]: text for text in typed}.values()
        )  # the last of those of a key
        printed = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
            patch.setattr(sys, "argv", ["harness", "sweep", *typed])
            patch.chdir(place)
            main()
        note_typed([])
        folder = Path(printed.getvalue().splitlines()[-1])
        rows = pd.read_parquet(folder / "trials.parquet")
        return rows.drop(columns=["trial", "name", "overrides", "parameters"]), np.load(
            folder / "ranks.npy"
        )

    return sweep


def test_every_key_has_a_case() -> None:
    assert {*CASES, *ELSEWHERE} == {
        *compose("config"),
        "seeds",
        "relations",
    }  # these two are of plug-ins


@pytest.mark.parametrize(("given", "added"), [case for cases in CASES.values() for case in cases])
def test_what_is_typed_changes_the_result(
    given: tuple[str, ...],
    added: str,
    stored: Callable[..., tuple[pd.DataFrame, NDArray[np.int32]]],
) -> None:
    (rows, ranks), (others, changed) = (stored(*given), stored(*given, *added.split()))
    assert not (rows.equals(others) and np.array_equal(ranks, changed))


@pytest.mark.plugin("llm")
def test_another_extractor_changes_the_result(
    stored: Callable[..., tuple[pd.DataFrame, NDArray[np.int32]]],
) -> None:
    other = stored(
        *BARE, "extractor=openie_file", "extractor.path=found.jsonl", "extractor.base.model=null"
    )
    assert not np.array_equal(stored(*POINT)[1], other[1])
