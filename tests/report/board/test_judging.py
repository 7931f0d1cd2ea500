"""Letters, intervals and pairs against what is worked by hand and what statsmodels says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from harness.evaluation.metric import ABSENT, Metric
from harness.report.board.judging import Standing, letters


def symmetric(pairs: set[tuple[int, int]], count: int) -> np.ndarray:
    found = np.zeros((count, count), dtype=bool)
    for one, other in pairs:
        found[one, other] = found[other, one] = True
    return found


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (set(), ["a", "a", "a", "a"]),
        ({(0, 3)}, ["a", "ab", "ab", "b"]),  # Piepho 2004: one pair that differs
        ({(0, 2), (0, 3), (1, 3)}, ["a", "ab", "bc", "c"]),
        ({(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}, ["a", "b", "c", "d"]),
    ],
)
def test_letters_by_hand(pairs: set[tuple[int, int]], expected: list[str]) -> None:
    assert letters(symmetric(pairs, 4)) == expected


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_two_systems_share_a_letter_exactly_where_they_are_not_shown_to_differ(
    drawn: tuple[int, set[tuple[int, int]]],
) -> None:
    count, pairs = drawn
    different = symmetric({pair for pair in pairs if pair[0] != pair[1]}, count)
    found = letters(different)
    assert found is not None
    for one in range(count):
        for other in range(count):
            if one != other:
                assert bool(set(found[one]) & set(found[other])) != different[one, other]


def test_there_are_no_letters_where_groups_are_more_than_letters() -> None:
    """27 systems that all differ are 27 groups; 10 pairs that differ within, and nowhere else, are 2^10."""
    assert letters(~np.eye(26, dtype=bool)) is not None
    assert letters(~np.eye(27, dtype=bool)) is None
    assert letters(symmetric({(2 * n, 2 * n + 1) for n in range(10)}, 20)) is None


def test_pairs_and_intervals_of_queries_that_share_nothing() -> None:
    """Three systems on 200 queries with one gold passage each: McNemar's p, Holm's, Wilson's interval."""
    rng = np.random.default_rng(3)
    hits = rng.random((3, 200, 1)) < np.array([0.7, 0.55, 0.5])[:, None, None]
    standing = Standing(Metric.parse("last_hop@5"), np.where(hits, 1, ABSENT).astype(np.int32), np.arange(200))
    ps = []
    for pair in standing.pairs:
        ours, theirs = hits[pair.first, :, 0], hits[pair.second, :, 0]
        won, lost = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
        assert (pair.compared.wins, pair.compared.losses) == (won, lost)
        ps.append(binomtest(won, won + lost).pvalue)
    assert [(pair.first, pair.second) for pair in standing.pairs] == [(0, 1), (0, 2), (1, 2)]
    expected = multipletests(ps, method="holm")[1]
    assert [pair.p_holm for pair in standing.pairs] == pytest.approx(expected)
    shown = {(pair.first, pair.second) for pair, p in zip(standing.pairs, expected, strict=True) if p <= 0.05}
    assert (standing.different == symmetric(shown, 3)).all()
    for place, bounds in enumerate(standing.intervals):
        assert bounds == pytest.approx(proportion_confint(int(hits[place].sum()), 200, method="wilson"))


def test_queries_that_share_gold_widen_the_interval() -> None:
    """100 clusters of two queries that succeed and fail together are 100 queries."""
    hits = np.repeat(np.arange(100) < 40, 2)[None, :, None]
    ranks = np.where(hits, 1, ABSENT).astype(np.int32)
    standing = Standing(Metric.parse("last_hop@5"), ranks, np.repeat(np.arange(100), 2))
    assert standing.intervals[0] == pytest.approx(proportion_confint(40, 100, method="wilson"))


def test_a_metric_that_is_not_binary_has_bootstrap_intervals() -> None:
    ranks = np.arange(1, 41, dtype=np.int32).reshape(1, 40, 1)
    standing = Standing(Metric.parse("mrr"), ranks, np.arange(40))
    (low, high), mean = standing.intervals[0], (1 / np.arange(1, 41)).mean()
    assert 0 < low < mean < high < 1
