"""GraphWin and GraphLoss: what a trial's last hops are against those of dense; rows and their
comparisons.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests

from harness.evaluation.metric import ABSENT, Metric
from harness.evaluation.metric.measure import MEASURES, Measure, measure_of
from harness.evaluation.paired_comparison import Comparison, Outcome
from harness.evaluation.statistic import clustered_mcnemar, mcnemar
from harness.sweep.judge.choice import Chosen, choose
from harness.sweep.judge.trial_table import compare_trials, decide, find_equals, graph_outcomes

U = -2  # the hop order of the query is not known
RANKS = np.array(
    # four queries with two supporting passages, the last hop second; the order of the last query is
    # not known
    [
        [[1, 9], [1, 2], [1, ABSENT], [1, U]],  # dense finds the second query's last hop
        [[9, 5], [1, 7], [9, 3], [1, U]],  # finds the first and the third, loses the second
        [[1, 6], [9, 2], [1, 8], [9, U]],  # the same as dense
    ],
    dtype=np.int32,
)
NOBODY = (None, None)


def test_last_hops_won_from_dense_and_lost_to_it() -> None:
    found = graph_outcomes(RANKS, Metric.parse("last_hop@5"), 0)
    assert found == [NOBODY, (2, 1), (0, 0)]


def test_the_objective_gives_the_depth_alone() -> None:
    assert graph_outcomes(RANKS, Metric.parse("full_sup@8"), 0)[1] == (2, 0)
    assert graph_outcomes(RANKS, Metric.parse("mrr"), 0)[1] == (2, 1)


def test_without_dense_or_without_order_there_is_none() -> None:
    assert graph_outcomes(RANKS, Metric.parse("last_hop@5"), None) == [NOBODY] * 3
    assert graph_outcomes(RANKS[:, 3:], Metric.parse("recall@5"), 0) == [NOBODY] * 3


@pytest.mark.parametrize("labels", [None, np.arange(60) // 2])
def test_the_comparisons_of_a_view_are_those_of_its_ranks(
    labels: NDArray[np.int64] | None,
) -> None:
    """Five trials of 60 questions, alone or in 30 clusters, against two lists; Holm's p is
    statsmodels', of the p that decides, and on test times the square of the evaluation.
    """
    ranks = np.random.default_rng(0).integers(1, 9, (5, 60, 2)).astype(np.int32)
    metric, lists = Metric.parse("last_hop@3"), {"dense": 0, "graph": 3}
    hits = (ranks[:, :, 1] <= 3).astype(int)
    keys = ["dense", "a", "b", "graph", "c"]
    for evaluation, times in ((0, 1), (1, 1), (2, 4)):
        compared = compare_trials(ranks, metric, lists, 0.02, labels)
        split = "test" if evaluation else "tune"
        found = decide(compared, keys, split, winner="b", evaluation=evaluation)
        assert [[*own].index(None) for own in found.values()] == [0, 3]
        exploratory = []
        for name, base in lists.items():
            others = [place for place in range(5) if place != base]
            own = [Outcome.of(one) for one in found[name] if one is not None]
            signs = [hits[place] - hits[base] for place in others]
            assert [one.wins for one in own] == [int((sign > 0).sum()) for sign in signs]
            assert [one.p for one in own] == [mcnemar(one.wins, one.losses) for one in own]
            by_cluster = [
                None if labels is None else pytest.approx(clustered_mcnemar(sign * 1.0, labels))
                for sign in signs
            ]
            assert [one.p_cluster for one in own] == by_cluster
            decides = [one.p if labels is None else one.p_cluster for one in own]
            if not evaluation:
                expected = multipletests(decides, method="holm")[1]
                assert [one.p_holm for one in own] == pytest.approx(expected)
            pairs = zip(others, own, decides, strict=True)
            exploratory += [(one.p_holm, p) for place, one, p in pairs if place != 2]
        if evaluation:
            corrected, raw = zip(*exploratory, strict=True)
            assert len(raw) == 6
            expected = np.minimum(1, times * multipletests(raw, method="holm")[1])
            assert corrected == pytest.approx(expected)


def of_winner(
    first: tuple[int, int], second: tuple[int, int], evaluation: int, alike: tuple[str, ...] = ()
) -> list[Comparison]:
    """The winner's two tests on test with these wins and losses of 60 questions."""
    pairs = []
    for wins, losses in (first, second):
        differences = np.repeat([1.0, -1.0, 0.0], [wins, losses, 60 - wins - losses])
        pairs.append(Comparison.of((differences > 0) * 1.0, (differences < 0) * 1.0))
    found = {"dense": [None, pairs[0]], "graph": [pairs[0], pairs[1]]}
    decided = decide(found, ["dense", "w"], "test", alike, "w", evaluation)
    return [one for name in found for one in decided[name][1:] if one is not None]


def test_the_winner_is_tested_first_against_dense_then_against_the_best_list() -> None:
    """18 / 6 has p .0227, 8 / 4 .388, 6 / 18 .0227 in the other direction."""
    first, second = of_winner((18, 6), (18, 6), 1)
    assert [one.finding for one in (first, second)] == ["better", "better"]
    assert first.p_holm == second.p_holm == pytest.approx(mcnemar(18, 6))
    for shown in ((8, 4), (6, 18)):
        first, second = of_winner(shown, (30, 0), 1)
        assert (first.p_holm, second.p_holm) == (pytest.approx(mcnemar(*shown)), None)
        assert (second.finding, second.decided.tested) == ("even", False)
    first, second = of_winner((18, 6), (8, 4), 1)
    assert (first.finding, second.finding) == ("better", "even")
    assert second.p_holm == pytest.approx(mcnemar(8, 4))


def test_a_winner_that_ranks_as_dense_is_tested_against_the_best_list_alone() -> None:
    first, second = of_winner((0, 0), (18, 6), 1, alike=("dense",))
    assert (first.decided.tested, first.finding) == (False, "even")
    assert (second.p_holm, second.finding) == (pytest.approx(mcnemar(18, 6)), "better")


def test_a_fusion_equals_the_list_that_it_ranks_as_wherever_that_stands() -> None:
    """Below the depth of 5 all ranks are equal; b and c find another passage first."""
    last = {"fusion": [1, 9], "b": [2, 1], "c": [2, 1], "list": [1, 7]}
    ranks = np.array(list(last.values()), dtype=np.int32)[..., None]
    found = find_equals(list(last), ranks, Metric.parse("last_hop@5"), ["list"])
    assert found == ["list", None, "b", None]


def test_a_second_evaluation_pays_before_the_sequence_goes_on() -> None:
    """18 / 6 has p .0227, times 4 .091."""
    first, second = of_winner((18, 6), (30, 0), 2)
    assert (first.p_holm, second.p_holm) == (pytest.approx(4 * mcnemar(18, 6)), None)


def scored(name: str, **fields: Any) -> SimpleNamespace:
    """What ``choose`` reads of a trial."""
    settings = {"fuser": "single", "fuser.list": name} if fields.get("alone") else {}
    settings |= {} if (alpha := fields.get("alpha")) is None else {"fuser.alpha": alpha}
    return SimpleNamespace(
        name=name,
        settings=settings,
        family="single" if fields.get("alone") else "linear",
        pool=SimpleNamespace(lists=fields.get("lists", (name,)), effective_cap=fields.get("cap")),
    )


def chosen(
    trials: dict[str, SimpleNamespace],
    hits: list[str],
    reference: str = "dense",
    impractical: tuple[str, ...] = (),
) -> Chosen:
    """The choice by last_hop@5; hits: a 1 for each question that a trial finds, a row a trial."""
    last = [[1 if hit == "1" else 9 for hit in row] for row in hits]
    ranks = np.array(last, dtype=np.int32)[..., None]
    metric = Metric.parse("last_hop@5")
    return choose(cast("Any", trials), ranks, metric, reference, impractical)


def test_of_equal_trials_the_rule_takes_alpha_nearer_to_a_half() -> None:
    """A trial without alpha is as one of a half; fewer losses, and more of the objective, come
    before.
    """
    made = {
        "dense": (scored("dense", alone=True), "110000"),
        "far": (scored("far", alpha=0.1), "111000"),
        "near": (scored("near", alpha=0.6), "111000"),
        "below": (scored("below", alpha=0.4), "111000"),  # as near as 0.6: by name
        "b": (scored("b"), "111000"),
        "a": (scored("a", alpha=0.5), "111000"),
        "lost": (scored("lost"), "011100"),
        "best": (scored("best", alpha=0.0), "001111"),
    }
    trials = {key: trial for key, (trial, _) in made.items()}
    found = chosen(trials, [hits for _, hits in made.values()])
    assert found.order == ["best", "a", "b", "below", "near", "far", "lost", "dense"]
    assert (found.winner, found.baselines.best) == ("best", "dense")


def test_what_knows_the_gold_is_last_and_neither_the_winner_nor_the_best_list() -> None:
    made = {
        "dense": (scored("dense", alone=True), "110000"),
        "gold": (scored("gold", alone=True), "111111"),
        "mixed": (scored("mixed", lists=("dense", "gold")), "111111"),
        "fair": (scored("fair", lists=("dense", "graph")), "100000"),
    }
    trials = {key: trial for key, (trial, _) in made.items()}
    found = chosen(trials, [hits for _, hits in made.values()], impractical=("gold",))
    assert found.order == ["dense", "fair", "gold", "mixed"]
    assert (found.winner, found.baselines.best) == ("fair", "dense")


def test_the_best_list_is_the_first_one_by_the_protocol_and_a_cut_one_is_none() -> None:
    """graph finds as many as bm25, and loses fewer of dense's; cut to three it finds more."""
    made = {
        "d": (scored("dense", alone=True), "110000"),
        "b": (scored("bm25", alone=True), "001110"),
        "g": (scored("graph", alone=True), "101100"),
        "cut": (scored("graph", alone=True, cap=3), "111111"),
        "f": (scored("f"), "100000"),
    }
    found = chosen(
        {key: one for key, (one, _) in made.items()}, [hits for _, hits in made.values()]
    )
    assert found.baselines.lists == {"dense": "d", "bm25": "b", "graph": "g"}
    assert (found.baselines.best, found.winner) == ("graph", "f")
    assert found.baselines.opponents == {"dense": "d", "graph": "g"}


def test_a_metric_of_which_less_is_better_is_won_and_locked_by_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The rank of the gold passage, 1 is best: `good` has the lower mean, and wins 6 of 8."""

    def place(ranks: NDArray[np.int32], k: int) -> NDArray[np.float64]:
        return ranks[..., -1].astype(np.float64)

    monkeypatch.setitem(MEASURES, "place", Measure(place, whole=True, higher_is_better=False))
    measure_of.cache_clear()
    metric = Metric.parse("place")
    trials = {name: scored(name, alone=name == "dense") for name in ("dense", "good", "bad")}
    ranks = np.array([[5] * 8, [1] * 6 + [6] * 2, [9] * 8], dtype=np.int32)[..., None]
    found = choose(cast("Any", trials), ranks, metric, "dense")
    assert (found.order, found.winner) == (["good", "dense", "bad"], "good")
    compared = decide(compare_trials(ranks, metric, {"dense": 0}, 0.02), [*trials], "tune")
    good, bad = compared["dense"][1:]
    assert good is not None
    assert bad is not None
    assert (good.wins, good.losses, bad.wins, bad.losses) == (6, 2, 0, 8)
    assert (good.difference, bad.finding) == ((6 * -4 + 2 * 1) / 8, "worse")
