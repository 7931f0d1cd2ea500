"""``harness.fuse``: runs in, a run out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import harness
from harness.core.configuration import strategy
from harness.core.errors import HarnessError
from harness.fusion.fuser.linear import Linear
from harness.fusion.fuser.rrf import Rrf
from harness.fusion.pool import Pool, PoolSpec
from harness.fusion.reranker import Keep
from harness.run import Run
from harness.sweep.trial import Trial


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
        ({"importance": {"a": 2.0}}, r"importance\.a must be in \[0, 1\], got a=2"),
        ({"runs": {}}, r"there is nothing to fuse"),
    ],
)
def test_mistakes_are_told_in_one_line(options, message, two_lists) -> None:
    runs = {name: Run.from_dict({"q": found}) for name, found in two_lists.items()}
    with pytest.raises(HarnessError, match=message) as error:
        harness.fuse(**{"runs": runs, "fuser": "rrf", **options})
    assert "\n" not in str(error.value)
