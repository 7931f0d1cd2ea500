"""The range of a metric over all orders of equal scores: by hand, and by trying every order."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.evaluation.metric import metrics
from harness.evaluation.metric.gold_ranks import RunRanks, Ties
from harness.evaluation.run_evaluation import evaluate_run
from harness.run import Run
from tests import process

NAMES = [
    "last_hop@2",
    "full_sup@2",
    "any_sup@2",
    "recall@2",
    "recall@3",
    "ndcg@3",
    "mrr",
    "map",
    "r_precision",
]

GRADED = ["ndcg@2", "ndcg@3", "recall@2", "map"]
HOPS = (["d1", "d2"], ["d3", "d0", "d9"], ["d2"])


def test_by_hand_gold_comes_first_or_last_among_equal_scores() -> None:
    """a alone is first; b, c, d are equal in places 2 to 4. Gold: a, then c. c may be second, third
    or fourth.
    """
    run = Run.from_dict({"q": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}})
    gold = harness.Gold.from_dict({"q": ["a", "c"]}, ordered=True)
    found = RunRanks(run, gold).tie_ranges(
        metrics(["last_hop@3", "recall@2", "map", "recall@1", "recall@4"], None)
    )
    assert found == {
        "last_hop@3": (0.0, 1.0),
        "recall@2": (0.5, 1.0),
        "map": ((1 + 2 / 4) / 2, 1.0),
    }


@pytest.mark.parametrize("ties", ["house", "trec"])
@pytest.mark.parametrize("graded", [False, True])
def test_the_range_is_that_of_every_order(graded: bool, ties: Ties) -> None:
    """Each order of a query's equal scores is a query of its own, whose scores differ a little."""
    draw = np.random.default_rng(3)
    lists = {f"q{n}": {f"d{m}": float(draw.integers(1, 3)) for m in range(4)} for n in range(8)}
    grades = {
        query: {f"d{m}": int(draw.integers(0, 4)) for m in (0, 2, 3)} | {"d9": 1} for query in lists
    }
    orders = list(itertools.permutations(range(4)))
    moved = {
        f"{query} {number}": {
            doc: score + 1e-3 * place
            for (doc, score), place in zip(own.items(), order, strict=True)
        }
        for query, own in lists.items()
        for number, order in enumerate(orders)
    }
    names = GRADED if graded else NAMES
    every, gold = (
        harness.Gold.from_dict(
            {
                query: grades[query[:2]] if graded else HOPS[int(query[1]) % len(HOPS)]
                for query in queries
            },
            ordered=not graded,
        )
        for queries in (moved, lists)
    )
    values = evaluate_run(Run.from_dict(moved), every, names, ties=ties).per_query
    wanted = metrics(names, None)
    found = RunRanks(Run.from_dict(lists), gold, ties).tie_ranges(wanted)
    for name in map(str, wanted):
        own = np.array([row[name] for row in values.values()]).reshape(len(lists), len(orders))
        low, high = own.min(axis=1).mean(), own.max(axis=1).mean()
        assert found.get(name, (low, low)) == pytest.approx((low, high)), name
    assert len(found) > len(names) / 2


def test_equal_scores_of_two_lists_are_no_tie() -> None:
    run = Run.from_dict({"q": {"a": 2.0, "b": 1.0}, "r": {"c": 1.0}})
    gold = harness.Gold.from_dict({"q": ["b"], "r": ["d"]})
    assert RunRanks(run, gold).tie_ranges(metrics("mrr", None)) == {}


def test_scores_that_are_one_in_32_bits_are_equal_for_trec() -> None:
    run = Run.from_dict({"q": {"a": 1.0, "b": 1.0 - 1e-12}})
    gold = harness.Gold.from_dict({"q": ["a"]})
    assert RunRanks(run, gold).tie_ranges(metrics("mrr", None)) == {}
    assert RunRanks(run, gold, "trec").tie_ranges(metrics("mrr", None)) == {"mrr": (0.5, 1.0)}


def test_evaluate_and_compare_say_the_range_in_one_line(tmp_path: Path) -> None:
    harness.write(
        {f"q{n}": {"x": 1, f"g{n}": 1 if n < 3 else 2} for n in range(200)}, tmp_path / "tied.trec"
    )
    harness.write({f"q{n}": {f"g{n}": 2, "x": 1} for n in range(200)}, tmp_path / "base.trec")
    (tmp_path / "gold.json").write_text(
        str({f"q{n}": {f"g{n}": 1} for n in range(200)}).replace("'", '"')
    )
    ours = ["run=tied.trec", "gold=gold.json"]
    told = "tied.trec has equal scores; in another order of these it has recall@1 98.5 to 100.0"
    done = process.harness(
        "evaluate", *ours, "metrics=[recall]", "k=[1,2]", "out=e.json", cwd=tmp_path, check=True
    )
    assert f"caution: {told}." in " ".join(done.stdout.split())
    options = ["baseline=base.trec", "metric=[recall,success]", "k=1", "out=c.json"]
    done = process.harness("compare", *ours, *options, cwd=tmp_path, check=True)
    assert f"caution: {told}, success@1 98.5 to 100.0." in " ".join(done.stdout.split())
    assert '"tie_ranges":{"recall@1":[0.985,1.0]}' in "".join(
        (tmp_path / "e.json").read_text().split()
    )
    assert '"tie_ranges":{"run":[0.985,1.0]}' in "".join((tmp_path / "c.json").read_text().split())
