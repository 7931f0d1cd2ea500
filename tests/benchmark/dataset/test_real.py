"""The real benchmarks: their counts, splits and order, where HARNESS_DATA names the folder that
holds them.
"""

from __future__ import annotations

import dataclasses
import functools
import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.benchmark import Benchmark, load
from harness.benchmark.content import content_sha256
from harness.benchmark.dataset.hotpotqa import bridge_order
from harness.benchmark.source.card import read_card

DATA = os.environ.get("HARNESS_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="HARNESS_DATA is not set: no real benchmarks")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> object:
    runs = tmp_path_factory.mktemp("real") / "runs"

    @functools.cache
    def get(name: str) -> Benchmark:
        assert DATA is not None
        if not any(folder.is_dir() for folder in read_card(name).folders(Path(DATA))):
            pytest.skip(f"no {name} in HARNESS_DATA")
        return load(name, DATA, runs)

    return get


@pytest.mark.parametrize(
    ("name", "queries", "passages", "chains", "width"),
    [
        ("2wikimultihopqa_1000", 1000, 6119, 413 + 108, 4),
        ("hotpotqa_1000", 1000, 9832, 604, 2 + 1),  # with the mark of those that are no chain
        ("musique_train", 100, 1890, 100, 4),
        pytest.param("popqa", 1000, 1475, 0, 2, marks=pytest.mark.plugin("collections")),
        pytest.param("nq", 2655, 2588, 0, 1, marks=pytest.mark.plugin("collections")),
    ],
)
def test_counts(
    real: object, name: str, queries: int, passages: int, chains: int, width: int
) -> None:
    benchmark = real(name)  # type: ignore[operator]
    assert (len(benchmark.queries), len(benchmark.corpus)) == (queries, passages)
    assert benchmark.gold.shape == (queries, width)
    assert int(benchmark.chain.sum()) == chains
    assert benchmark.name == name


def test_a_copy_of_musique_804_with_two_other_hop_orders_has_another_name(real: object) -> None:
    """In the copy here, two questions with two gold passages of one title have them swapped: the
    passage with the answer of the first hop comes second. Turned round, it is the card's content.
    """
    benchmark = real("musique_804")  # type: ignore[operator]
    assert (len(benchmark.queries), len(benchmark.corpus)) == (804, 10716)
    assert int(benchmark.chain.sum()) == 804
    swapped = {"2hop__8347_8311": [1, 0], "4hop1__342858_131850_33952_34053": [0, 1, 3, 2]}
    gold = benchmark.gold.copy()
    for name, order in swapped.items():
        row = benchmark.query_ids.to_pylist().index(name)
        gold[row, : len(order)] = gold[row, order]
    known = read_card("musique_804").expected["content"]
    if benchmark.name == "musique_804":
        assert content_sha256(benchmark) == known
    else:
        assert content_sha256(dataclasses.replace(benchmark, gold=gold)) == known


def test_id_lists_are_those_of_the_prepared_questions(real: object) -> None:
    for name in ("2wikimultihopqa_1000", "hotpotqa_1000", "musique_804"):
        asked = [one for one, is_asked in (read_card(name).ids or {}).items() if is_asked]
        assert sorted(real(name).query_ids.to_pylist()) == sorted(asked)  # type: ignore[operator]


def test_2wiki_split_is_the_published_one(real: object) -> None:
    benchmark = real("2wikimultihopqa_1000")  # type: ignore[operator]
    assert (len(benchmark.members("tune")), len(benchmark.members("test"))) == (509, 491)
    assert Counter(benchmark.queries["type"][:]) == {
        "compositional": 413,
        "bridge_comparison": 235,
        "comparison": 244,
        "inference": 108,
    }


def test_2wiki_has_upstream_types_and_triples_of_every_question(real: object) -> None:
    """Nine types that were inferred from the wording had been wrong; which questions are chains
    does not change.
    """
    benchmark = real("2wikimultihopqa_1000")  # type: ignore[operator]
    assert DATA is not None
    rows = {row["id"]: row for row in _lines(Path(DATA) / "2wikimultihopqa" / "queries.jsonl.gz")}
    kinds = dict(zip(benchmark.query_ids.to_pylist(), benchmark.queries["type"][:], strict=True))
    assert sum(kinds[name] != row["type"] for name, row in rows.items()) == 9
    extra = [json.loads(value) for value in benchmark.queries["extra"][:]]
    assert all(value["decomposition"] and value["type_source"] == "upstream" for value in extra)
    known = {name: row["decomposition"] for name, row in rows.items() if row.get("decomposition")}
    found = dict(
        zip(
            benchmark.query_ids.to_pylist(),
            (value["decomposition"] for value in extra),
            strict=True,
        )
    )
    assert {name: found[name] for name in known} == known
    assert len(known) == 340


def test_musique_holds_433_of_the_hipporag_questions(real: object) -> None:
    benchmark = real("musique_804")  # type: ignore[operator]
    extra = [json.loads(value) for value in benchmark.queries["extra"][:]]
    ours = np.array([value["in_hipporag_1000"] for value in extra])
    assert Counter(np.array(benchmark.queries["hops"][:])[ours].tolist()) == {2: 219, 3: 133, 4: 81}
    held = zip(extra, benchmark.queries["supporting_ids"][:], strict=True)
    steps = [
        (value["decomposition"], gold)
        for value, gold in held
        if "supporting_id" in value["decomposition"][0]
    ]
    assert len(steps) == 539
    for decomposition, gold in steps:
        assert [step["supporting_id"] for step in decomposition] == gold


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def test_hotpotqa_bridge_order_agrees_with_the_prepared_one(real: object) -> None:
    """All 793, one title with an accent that its question lacks, and two misprinted answers."""
    benchmark = real("hotpotqa_1000")  # type: ignore[operator]
    passages = benchmark.corpus[:]
    agree = 0
    for row, gold in zip(benchmark.queries, benchmark.gold.tolist(), strict=True):
        if row["type"] == "bridge":
            pair = [
                {key: passages[key][number] for key in passages} for number in gold if number >= 0
            ]
            found, rule = bridge_order(row["question"], row["answers"][0], pair)
            same = [passage["id"] for passage in found] == row["supporting_ids"]
            agree += same and rule == json.loads(row["extra"])["order_source"]
    assert agree == 793
