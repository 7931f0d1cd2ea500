"""Letters, intervals and pairs against what is worked by hand and what statsmodels says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from harness.evaluation.metric import ABSENT, Metric
from harness.plugins.exchange.board.judging import Standing


def symmetric(pairs: set[tuple[int, int]], count: int) -> np.ndarray:
    found = np.zeros((count, count), dtype=bool)
    for one, other in pairs:
        found[one, other] = found[other, one] = True
    return found


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
    assert [pair.compared.p_holm for pair in standing.pairs] == pytest.approx(expected)
    shown = {(pair.first, pair.second) for pair, p in zip(standing.pairs, expected, strict=True) if p <= 0.05}
    assert (standing.different == symmetric(shown, 3)).all()
    for place, bounds in enumerate(standing.intervals):
        assert bounds == pytest.approx(proportion_confint(int(hits[place].sum()), 200, method="wilson"))


def test_queries_that_share_gold_widen_the_interval() -> None:
    """100 clusters of two queries that succeed and fail together are 100 queries, with Student's t of 99."""
    hits = np.repeat(np.arange(100) < 40, 2)[None, :, None]
    ranks = np.where(hits, 1, ABSENT).astype(np.int32)
    standing = Standing(Metric.parse("last_hop@5"), ranks, np.repeat(np.arange(100), 2))
    beyond = 2 * norm.sf(t.ppf(0.975, 99))
    assert standing.intervals[0] == pytest.approx(proportion_confint(40, 100, beyond, method="wilson"))


def test_a_metric_that_is_not_binary_has_bootstrap_intervals() -> None:
    ranks = np.arange(1, 41, dtype=np.int32).reshape(1, 40, 1)
    standing = Standing(Metric.parse("mrr"), ranks, np.arange(40))
    (low, high), mean = standing.intervals[0], (1 / np.arange(1, 41)).mean()
    assert 0 < low < mean < high < 1
