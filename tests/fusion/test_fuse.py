"""``harness.fuse``: runs in, a run out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import harness
from harness.core.configuration.conf_files import defaults, names, strategy
from harness.core.errors import HarnessError
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.linear import Linear
from harness.fusion.fuser.rrf import Rrf
from harness.fusion.normalizer.minmax import MinMax
from harness.fusion.pool import Pool, PoolSpec, union
from harness.fusion.reranker import Keep
from harness.run import Run
from harness.sweep.trial.trial import Trial
from harness.testing.lists import random_runs, trained, under_default_types


def test_queries_and_documents_are_united_the_first_run_first() -> None:
    first = Run.from_dict({"q2": {"b": 1.0}, "q1": {"c": 1.0}})
    second = Run.from_dict({"q3": {"a": 1.0}, "q1": {"a": 2.0, "c": 1.0}})
    fused = harness.fuse({"dense": first, "graph": second}, Rrf(k=1))
    assert fused.query_ids.to_pylist() == ["q2", "q1", "q3"]
    assert fused.doc_ids.to_pylist() == ["a", "b", "c"]
    assert fused.to_dict() == {
        "q2": {"b": 1 / 2},
        "q1": {"c": pytest.approx(1 / 2 + 1 / 3), "a": 1 / 2},
        "q3": {"a": 1 / 2},
    }


def test_names_of_configurations_stand_for_their_defaults(two_lists, scores) -> None:
    assert scores("linear", two_lists, "rank") == scores(Linear(alpha=0.7), two_lists, "rank")


def test_the_cap_cuts_the_graph_list_before_it_is_normalised(scores) -> None:
    lists = {"dense": {"a": 2, "b": 1}, "graph": {"c": 3, "d": 2, "e": 1}}
    capped = scores(Linear(alpha=0.5), lists, pool_cap=2)
    assert capped == {"a": 0.5, "c": 0.5, "b": 0.25, "d": 0.25}
    assert scores(Linear(alpha=0.5), lists, pool_cap=1, capped=("dense",))["a"] == 0.5


def test_a_fused_run_survives_a_file(tmp_path, random_runs) -> None:
    runs = random_runs()
    fused = harness.fuse({"dense": runs["dense"], "graph": runs["graph"]}, "boltzmann")
    fused.to_trec(tmp_path / "fused.trec")
    again = Run.from_trec(tmp_path / "fused.trec").to_dict()
    assert again == {query: found for query, found in fused.to_dict().items() if found}


def test_runs_are_left_as_they_are(random_runs) -> None:
    runs = random_runs()
    before = {name: (run.docs.copy(), run.scores.copy()) for name, run in runs.items()}
    harness.fuse(runs, "combmnz", "zscore")
    assert all(np.array_equal(run.docs, before[name][0]) for name, run in runs.items())
    assert all(np.array_equal(run.scores, before[name][1]) for name, run in runs.items())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda best: best[:, :1], r"torch.float64 of shape \(1, 1\)"),
        (lambda best: best.float(), r"torch.float32 of shape \(1, 2\)"),
        (lambda best: best.tolist(), "a list"),
    ],
)
def test_a_fuser_or_reranker_that_gives_something_else_is_named(
    wrong: Callable[[Tensor], Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code counts ranks without looking at shapes: too few columns gave what lies behind
    them in memory.
    """
    run = Run.from_dict({"q": {"a": 1, "b": 2}})
    lists = {"dense": run, "graph": run}
    monkeypatch.setattr(
        Rrf, "__call__", lambda self, pool: wrong(torch.ones(pool.pool.docs.shape).double())
    )
    message = rf"Rrf gave {words}.*, expected a score a document, float64 of \(1, 2\)"
    with pytest.raises(HarnessError, match=message):
        harness.fuse(lists, Rrf(k=1))
    parts = [
        strategy(concept, name)
        for concept, name in (("normalizer", "pit"), ("temperature", "auto"))
    ]
    trial = Trial(
        PoolSpec(("dense", "graph"), None, ()),
        Rrf(k=1),
        *parts,
        strategy("reranker", "none"),
        {},
        (),
    )
    with pytest.raises(HarnessError, match=message):
        trial.fused(Pool.align(lists))
    monkeypatch.undo()
    monkeypatch.setattr(Keep, "__call__", lambda self, fused, pool: wrong(fused))
    with pytest.raises(HarnessError, match=message.replace("Rrf", "Keep")):
        trial.fused(Pool.align(lists))


@pytest.mark.parametrize("value", [-0.5, 1.5])
def test_a_normalizer_that_leaves_its_bounds_is_named(
    value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        MinMax, "__call__", lambda self, scores, present: torch.full_like(scores, value)
    )
    run = Run.from_dict({"q": {"a": 1, "b": 2}})
    with pytest.raises(HarnessError, match=rf"MinMax gave {value}, expected values in \[0, 1\]"):
        harness.fuse({"dense": run, "graph": run}, "combsum", "minmax")


def test_scores_too_large_to_sum_are_a_mistake_not_a_result(scores) -> None:
    with pytest.raises(HarnessError, match=r"a fused score is not finite"):
        scores("combsum", {"dense": {"a": 1e308}, "graph": {"a": 1e308}}, "none")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fuser": "boltzman"}, r"fuser=boltzman is not known \(did you mean boltzmann\?\)"),
        ({"normalizer": "pid"}, r"normalizer=pid is not known"),
        ({"temperature": "hot"}, r"temperature=hot is not known"),
        ({"pool_cap": 0}, r"pool\.cap must be in \[1, inf\), got cap=0"),
        (
            {"fuser": "boltzmann", "normalizer": "zscore"},
            r"fuser=boltzmann needs values in \[0, 1\], normalizer=zscore",
        ),
        (
            {"fuser": "weighted_rrf", "importance": {"a": 2.0}},
            r"importance: a must be in \[0, 1\], got",
        ),
        ({"runs": {}}, r"there is nothing to fuse"),
    ],
)
def test_mistakes_are_told_in_one_line(options, message, two_lists) -> None:
    runs = {name: Run.from_dict({"q": found}) for name, found in two_lists.items()}
    with pytest.raises(HarnessError, match=message) as error:
        harness.fuse(**{"runs": runs, "fuser": "rrf", **options})
    assert "\n" not in str(error.value)


LISTS = st.lists(st.lists(st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 9), unique=True), min_size=3, max_size=3), min_size=1, max_size=3)  # fmt: skip


@given(LISTS)
def test_documents_ascend_and_every_entry_is_found(lists) -> None:
    indptrs = [np.cumsum([0, *map(len, queries)]).astype(np.int64) for queries in lists]
    docs = [np.array([doc for own in queries for doc in own], dtype=np.int32) for queries in lists]
    table, places = union(indptrs, docs)
    expected = [sorted({doc for queries in lists for doc in queries[query]}) for query in range(3)]
    assert table.shape == (3, max(map(len, expected)))
    for query in range(3):
        width = len(expected[query])
        assert table[query, :width].tolist() == expected[query]
        assert (table[query, width:] == -1).all()
    for part, queries in enumerate(lists):
        found = table.ravel()[places[part]] if len(docs[part]) else docs[part]
        assert found.tolist() == docs[part].tolist()
        rows = [query for query, own in enumerate(queries) for _ in own]
        assert (places[part] // max(table.shape[1], 1)).tolist() == rows


ODD = {"alpha": 0.3, "beta": 0.1, "bonus": 0.1, "k": 7, "theta": 0.3, "T": 0.3, "gamma": 0.7}
"""Values that float32 does not hold exactly."""


def fused(fuser: str, normalizer: str, temperature: str) -> torch.Tensor:
    """The fused scores of three random lists."""
    strategies = {"fuser": fuser, "normalizer": normalizer, "temperature": temperature}
    made = {}
    for concept, name in strategies.items():
        odd = {key: value for key, value in ODD.items() if key in defaults(concept, name)}
        made[concept] = trained(concept, name, **odd)
    pair = "alpha" in defaults("fuser", fuser)
    runs = random_runs(seed=5, names=("dense", "graph") if pair else ("dense", "graph", "bm25"))
    found: torch.Tensor = made["fuser"](
        Calibrated(Pool.align(runs), made["normalizer"], made["temperature"])
    )
    return found


CASES = [
    *((fuser, "minmax", "auto") for fuser in names("fuser")),
    *(("combsum", normalizer, "auto") for normalizer in names("normalizer")),
    *(("boltzmann", "minmax", temperature) for temperature in names("temperature")),
]


@pytest.mark.parametrize(("fuser", "normalizer", "temperature"), CASES)
def test_bits_do_not_depend_on_the_default_type(
    fuser: str, normalizer: str, temperature: str
) -> None:
    one, two = under_default_types(lambda: fused(fuser, normalizer, temperature))
    assert one.dtype == torch.float64
    assert torch.equal(one, two)


STORED = json.loads((Path(__file__).parent / "ranx.json").read_text())


@pytest.mark.parametrize("case", sorted(STORED["ranx"]))
def test_agrees_with_ranx(case: str) -> None:
    fuser, _, normalizer = case.partition(" ")
    runs = {name: Run.from_dict(found) for name, found in STORED["lists"].items()}
    fused = harness.fuse(runs, fuser, normalizer or "pit").to_dict()
    for query, expected in STORED["ranx"][case].items():
        held = [
            doc
            for doc in expected
            if fuser != "combmin" or all(doc in run for run in lists_of(query))
        ]
        ours, theirs = ({doc: found[doc] for doc in held} for found in (fused[query], expected))
        assert ours == pytest.approx(theirs, rel=1e-13)
        assert fused[query].keys() == expected.keys()


def lists_of(query: str) -> list[dict[str, float]]:
    """ranx takes the least over the lists that hold a document, CombMin over all: the same where
    all hold it.
    """
    return [found[query] for found in STORED["lists"].values()]
