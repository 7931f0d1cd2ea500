"""A comparison's values: worked by hand, from statsmodels, and the same by both ways of
counting p.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from harness.core.table import Scale
from harness.evaluation.family import Family
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.evaluation.paired_comparison import Comparison, Outcome, Verdict
from harness.evaluation.run_comparison import compare
from harness.evaluation.run_evaluation import evaluate
from harness.evaluation.statistic import bootstrap, clustered_wilson, smallest_effect
from harness.run import Run

OURS = np.array(
    [1.0] * 6 + [0.0] * 2 + [1.0] * 3 + [0.0] * 9
)  # wins 0 to 5, loses 6 and 7, both find 8 to 10
THEIRS = np.array([0.0] * 6 + [1.0] * 2 + [1.0] * 3 + [0.0] * 9)


def test_values_by_hand() -> None:
    found = Comparison.of(OURS, THEIRS)
    assert (found.n, found.wins, found.losses) == (20, 6, 2)
    assert found.won.tolist() == [0, 1, 2, 3, 4, 5]
    assert found.lost.tolist() == [6, 7]
    assert (found.score, found.baseline_score) == (9 / 20, 5 / 20)
    assert found.difference == pytest.approx(4 / 20)
    assert found.p == pytest.approx(2 * (1 + 8 + 28) / 256)  # P[X <= 2] of 8 throws, twice
    assert found.odds_ratio == pytest.approx((9 / 11) / (5 / 15))
    assert found.interval == found.interval_query


def test_an_interval_that_reaches_the_margin_is_not_within_it() -> None:
    reached = max(map(abs, Comparison.of(OURS, THEIRS).interval_query))
    found = [Comparison.of(OURS, THEIRS, margin=margin) for margin in (reached, reached + 1e-9)]
    assert [one.within_margin for one in found] == [False, True]


def test_values_that_are_not_0_or_1() -> None:
    found = Comparison.of(OURS / 2, THEIRS / 3, binary=False)
    assert (found.wins, found.losses) == (9, 2)
    assert found.difference == pytest.approx(9 / 40 - 5 / 60)
    assert found.wilson is found.odds_ratio is None
    assert found.interval == bootstrap(found.ours - found.theirs)


@pytest.mark.parametrize("share", [True, False])
def test_the_interval_by_cluster_is_of_the_differences(share: bool) -> None:
    """30 clusters of 4 with one difference each: they are 30 values, whose t interval is near
    (within 10%).
    """
    scale = 1 if share else 100  # values that are no shares have no bounds
    labels = np.repeat(np.arange(30), 4)
    of_clusters = scale * np.random.default_rng(0).normal(0.1, 0.2, 30)
    found = Comparison.of(
        of_clusters[labels], np.zeros(120), False, labels=labels, scale=Scale(share)
    )
    expected = ttest_1samp(of_clusters, 0).confidence_interval()
    assert found.interval == pytest.approx(tuple(expected), abs=0.01 * scale)
    assert found.interval == found.interval_cluster
    assert found.interval_query[0] > found.interval[0]


@pytest.mark.parametrize("gain", [0.25, -0.25])
def test_a_difference_that_is_the_same_everywhere_is_its_own_interval(gain: float) -> None:
    found = Comparison.of(
        np.full(60, 0.5 + gain), np.full(60, 0.5), False, labels=np.arange(60) // 2
    )
    assert found.interval == pytest.approx((gain, gain), abs=1e-11)


def test_ratios_without_a_value() -> None:
    same = Comparison.of(OURS, OURS)
    assert (same.p, same.odds_ratio) == (1, 1)
    assert Comparison.of(np.ones(3), np.zeros(3)).odds_ratio is None


def test_by_gold_ranks() -> None:
    ranks = np.array([[1, 2], [1, 9], [1, 3]], dtype=np.int32)
    baseline = np.array([[1, 9], [1, 2], [1, 2]], dtype=np.int32)
    last_hop, ndcg = Metric.parse("last_hop@5"), Metric.parse("ndcg@5")
    found = Comparison.of(last_hop(ranks), last_hop(baseline))
    assert (found.won.tolist(), found.lost.tolist(), found.binary) == ([0], [1], True)
    assert Comparison.of(ndcg(ranks), ndcg(baseline), ndcg.binary).lost.tolist() == [1, 2]


def test_nothing_is_detectable_where_no_p_is_small_enough() -> None:
    """Of five clusters or five queries the least p is 2 / 2^5 = .0625; of six, .03125."""
    ours = np.ones(12)
    for count in (5, 6):
        pairs = ours[: 2 * count]
        by_cluster = Comparison.of(pairs, 0 * pairs, labels=np.arange(2 * count) % count)
        assert (by_cluster.units, by_cluster.ruling.least) == (count, 2 / 2**count)
        assert (by_cluster.detectable is None) == (count == 5)
        few = Comparison.of(ours[:count], 0 * ours[:count])
        assert (few.units, few.detectable is None) == (count, count == 5)


def test_under_another_name_or_p_nothing_is_computed_again() -> None:
    mine, other = Run.from_dict({"q": {"a": 1.0}}), Run.from_dict({"q": {"b": 1.0}})
    (one,) = compare(
        {"new/x.trec": mine}, {"old/y.trec": other}, Gold.from_dict({"q": ["a", "b"]}), "recall@5"
    )
    assert (one["name"], one["p_holm"]) == ("new/x.trec", 1.0)
    other_p = one.with_fields(verdict=Verdict(0.5))
    assert (other_p["p_holm"], other_p.ruling is one.ruling) == (0.5, True)


def test_a_query_twice_in_a_cluster_is_one_query() -> None:
    """60 queries, 20 won and 10 lost, and the same with each of them doubled: p and what could be
    seen are the same.
    """
    ours, theirs = np.repeat([1.0, 0, 1], [20, 10, 30]), np.repeat([0.0, 1, 1], [20, 10, 30])
    once = Comparison.of(ours, theirs)
    twice = Comparison.of(
        *(np.repeat(one, 2) for one in (ours, theirs)), labels=np.arange(120) // 2
    )
    assert (twice.wins, twice.losses, twice.design_effect, twice.decides) == (
        40,
        20,
        2,
        "by cluster",
    )
    assert twice.p_deciding == pytest.approx(once.p_deciding)
    assert twice.detectable == once.detectable == smallest_effect(60, 0.5)
    assert twice.wilson_cluster == tuple(clustered_wilson(twice.ours, twice.labels)) != twice.wilson
    assert (
        Comparison.of(twice.ours / 2, twice.theirs, False, labels=twice.labels).wilson_cluster
        is None
    )


def test_questions_that_share_one_cluster_show_nothing() -> None:
    """P is 1 by any test if no question differs."""
    whole = Comparison.of(np.ones(2), np.zeros(2), labels=np.zeros(2, np.int64))
    assert (whole.p_deciding, whole.interval, whole.decides) == (None, None, "too few clusters")
    same = Comparison.of(np.ones(2), np.ones(2), labels=np.zeros(2, np.int64))
    assert (same.p_deciding, same.p_cluster, same.interval) == (1.0, 1.0, None)


def test_beside_a_cluster_of_most_questions_the_others_show_what_is_shown() -> None:
    """A world of 107 of 117 in one cluster has a p below .05 in 4% where .2 more are won."""
    rng = np.random.default_rng(2)
    for others, seen in ((10, False), (600, True)):
        labels = np.array([*[0] * 700, *range(1, others + 1)])
        found = Comparison.of(*rng.integers(0, 2, (2, len(labels))).astype(float), labels=labels)
        discordance = float((found.ours != found.theirs)[700:].mean())
        assert found.detectable == (smallest_effect(others, discordance) if seen else None)


def test_as_many_won_as_lost_is_a_difference_with_an_interval() -> None:
    pairs = [Comparison.of(OURS[3:10], THEIRS[3:10]), Comparison.of(OURS, OURS)]
    even, same = (Family.of([one]).members[0] for one in pairs)
    low, high = even.interval or (None, None)
    assert low is not None
    assert Outcome.of(even) == Outcome(3, 2, even.difference, low, high, 1.0, None, 1.0)
    assert (even.interval, Outcome.of(even).interval) == ((low, high), (low, high))
    assert Outcome.of(same).interval is None
    assert Comparison.of(np.array([1.0, 0]), np.array([0.0, 1])).interval is not None


def test_clusters_and_coverage_are_told() -> None:
    """q1 and q2 share a; new has a list for q3 alone."""
    gold = Gold.from_dict({"q1": ["a"], "q2": ["a"], "q3": ["b"]})
    whole, part = {f"q{n}": ["a"] for n in (1, 2, 3)}, {"q3": ["a"]}
    one = compare(part, whole, gold, "recall@1")
    assert (one.coverages["the run"].answered, one["queries"]["missing"]) == (1, 2)
    assert (one["clusters"], one["largest_cluster"]) == (2, 2)


def test_a_row_a_query_by_hand() -> None:
    """q1 is won, q2 lost, q3 tied; a gold passage that a list lacks has no rank."""
    gold = Gold.from_dict({"q1": ["a", "b"], "q2": ["a"], "q3": ["a"]})
    ours = Run.from_dict({"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 1.0}, "q3": {"x": 2.0, "a": 1.0}})
    theirs = Run.from_dict(
        {"q1": {"x": 2.0, "a": 1.0}, "q2": {"a": 1.0}, "q3": {"x": 2.0, "a": 1.0}}
    )
    rows = compare(ours, theirs, gold, "mrr").query_records()
    assert [
        (row["query_id"], row["result"], row["gold_ranks"], row["baseline_ranks"]) for row in rows
    ] == [("q1", "won", [1, 2], [2, None]), ("q2", "lost", [None], [1]), ("q3", "tied", [2], [2])]
    said = evaluate(ours, gold, ["recall@1", "full_sup@1"]).explanation()
    assert said[0].startswith(
        "recall@k: the share of gold passages that are in the top k; full_sup@k: all gold"
    )


def test_a_finding_that_one_more_cluster_would_undo() -> None:
    """Nine single losses in 30 clusters of 10: p by cluster is 2 / 2^9. A tenth cluster of 10 wins
    would leave 10 won and 9 lost.
    """
    labels = np.repeat(np.arange(30), 10)
    theirs = np.zeros(300)
    theirs[np.arange(9) * 10] = 1
    (found,) = Family.of([Comparison.of(np.zeros(300), theirs, labels=labels)])
    assert found.p_cluster == pytest.approx(2 / 2**9)
    assert (found.finding, found.undone_by) == ("worse", 10)
    (single,) = Family.of([Comparison.of(np.zeros(300), theirs)])
    assert single.undone_by is None
    theirs[np.arange(30) * 10] = 1
    (many,) = Family.of([Comparison.of(np.zeros(300), theirs, labels=labels)])
    assert many.undone_by is None


def test_a_loop_of_calls_is_not_more_suspicious_than_one_call() -> None:
    """No call counts earlier ones. 8 of 8 won have p 2 / 2^8; in one call Holm's is 14 times it."""
    ours, theirs = ({f"q{n}": [f"d{(n + shift) % 8}"] for n in range(8)} for shift in (0, 1))
    gold = Gold.from_dict(ours)
    names = [f"recall@{k}" for k in range(1, 15)]
    joint = compare(ours, theirs, gold, names)
    alone = [compare(ours, theirs, gold, name) for name in names]
    assert {one.p_holm for one in alone} == {one.p_deciding for one in joint} == {2 / 2**8}
    assert {one.p_holm for one in joint} == {14 * 2 / 2**8}
    assert alone[0].json == compare(ours, theirs, gold, names[0]).json
