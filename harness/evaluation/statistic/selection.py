"""The winner's curse: what the best of many trials can be expected to score on queries that it was
not chosen on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError, bounded, whole_number
from harness.evaluation.statistic.clustering import Labels, cluster_sums, correlation

BLOCK = 500
"""Resamples held at once. Fixed, so that the draws do not depend on the machine."""
UNIT = 1 << 20
"""Scores are counted in units of 1 / UNIT when they are not 0 or 1, so that sums are exact."""


@dataclass(frozen=True)
class Expected:
    """``tune``: the winner's own score. ``score``: what to expect on ``n`` new queries, within
    ``low`` to ``high``.

    ``bias`` is tune - score.
    """

    tune: float
    score: float
    bias: float
    low: float
    high: float
    n: int


def expected(
    scores: NDArray[np.float64],
    losses: NDArray[np.bool_],
    n: int,
    resamples: int = 5_000,
    level: float = 0.95,
    seed: int = 0,
    labels: Labels | None = None,
    fresh: NDArray[np.int64] | None = None,
) -> Expected:
    """The expected score on ``n`` new queries of the trial that the rule chooses: best mean, fewest
    losses, first.

    scores: [T, Q] in [0, 1]. losses: [T, Q], lost queries. Trials stand in the order that settles
    what remains tied.
    labels: int64[Q] from 0 on, each query's cluster: every draw is of whole clusters. fresh: the
    sizes of the clusters of the new queries, n in all. None: each query by itself.

    The whole choice is repeated in each bootstrap resample of the queries, and the trial chosen is
    scored on the queries that the resample left out, which it was not chosen on: the mean over
    resamples is the expected score (Tsamardinos, Greasidou & Borboudakis 2018, "bootstrap bias
    corrected"; Efron & Tibshirani 1997 for leaving out). Choosing on 63% of the queries chooses a
    little worse, so it errs on the low side. The interval is ``predict``'s; the score is as
    uncertain as the trials chosen in the resamples vary, which may be more than the winner does.
    """
    whole_number("resamples", resamples, 1)
    bounded("level", level, 0, 1, open_low=True)
    if scores.ndim != 2 or scores.shape != losses.shape or not scores.size or n < 1:
        raise HarnessError(
            f"expected: scores must be trial by query, with n >= 1, got shape {scores.shape} and "
            f"n={n}"
        )
    unit = 1 if np.isin(scores, (0, 1)).all() else UNIT
    points, value = _distinct(np.rint(scores * unit).astype(np.int64), losses)
    spreads, times = _spread(points / unit), np.zeros(len(points), np.int64)
    first, queries = int(np.argmax(value.sum(axis=1))), points.shape[1]
    groups = np.arange(queries) if labels is None else labels
    winner, sizes = points[first] / unit, np.bincount(groups)
    points, value = _sums(points, groups), _sums(value, groups)
    count = len(sizes)
    kind: Any = np.float32 if int(value.max(initial=0)) * count < 1 << 24 else np.float64
    keys, draw = value.T.astype(kind), np.random.Generator(np.random.PCG64(seed))
    outside = weight = 0
    for start in range(0, resamples, BLOCK):
        drawn = _counts(draw, min(BLOCK, resamples - start), count)
        chosen = np.argmax(drawn.astype(kind) @ keys, axis=1)
        times += np.bincount(chosen, minlength=len(times))
        left = drawn == 0
        outside += int((points[chosen] * left).sum())
        weight += int((left * sizes).sum())
    tune = float(winner.mean())
    score = outside / weight / unit if weight else tune
    fresh = np.ones(n, np.int64) if fresh is None else fresh
    low, high = predict(winner, groups, score, fresh, level, float(times @ spreads) / resamples)
    return Expected(tune, score, tune - score, low, high, n)


def predict(
    values: NDArray[np.float64],
    labels: Labels,
    score: float,
    fresh: NDArray[np.int64],
    level: float = 0.95,
    spread: float | None = None,
) -> tuple[float, float]:
    """The interval of a mean over new queries, of which only the sizes of their clusters,
    ``fresh``, are known.

    values: float64[Q] in [0, 1], seen, in clusters ``labels``. score: the mean to expect. With r
    the correlation within clusters, Q queries tell as much as N = Q / (1 + r (sum of s^2 / Q - 1))
    independent ones, s the clusters' sizes, and the new ones as M. The true mean is Beta(score N +
    1/2, (1 - score) N + 1/2), the new mean Binomial(M, p) / M; quantiles of their mixture, widened
    by half a query of M. Where values are not 0 or 1, N and M count queries of a proportion that
    varies as much: both are divided by variance / (m (1 - m)), m their mean; N by ``spread``, where
    the score was estimated from values that vary so.
    """
    from scipy.special import betaln

    r, own = correlation(values, labels), float(_spread(values))
    known, drawn = (
        sizes.sum() / (1 + r * ((sizes**2).sum() / sizes.sum() - 1)) / (varied or 1.0)
        for sizes, varied in (
            (np.bincount(labels), own if spread is None else spread),
            (fresh, own),
        )
    )
    size = max(1, round(drawn))
    hits, a, b = np.arange(size + 1), score * known + 0.5, (1 - score) * known + 0.5
    ways = -np.log(size + 1) - betaln(size - hits + 1, hits + 1)  # log of size over hits
    found = np.cumsum(np.exp(ways + betaln(hits + a, size - hits + b) - betaln(a, b)))
    low, high = np.searchsorted(found, [(1 - level) / 2, (1 + level) / 2])
    return max(0.0, float(low - 0.5) / size), min(1.0, float(high + 0.5) / size)


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[...]: the variance of ``values`` [..., Q] in parts of that of 0 and 1 with the same
    mean.
    """
    mean = values.mean(axis=-1)
    greatest = mean * (1 - mean)
    spread: NDArray[np.float64] = np.divide(
        values.var(axis=-1), greatest, out=np.ones_like(greatest), where=greatest > 0
    )
    return spread


def _distinct(
    points: NDArray[np.int64], losses: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of each kind of trial: its points [U, Q], and its points and losses in one number
    for the rule.

    A loss weighs less than one point over any resample: a point is Q + 1 losses.
    """
    value = points * (points.shape[1] + 1) - losses
    seen: dict[bytes, int] = {}
    for number, row in enumerate(value):
        seen.setdefault(row.tobytes(), number)
    kept = list(seen.values())
    return points[kept], value[kept]


def _sums(values: NDArray[np.int64], groups: Labels) -> NDArray[np.int64]:
    """[T, C]: the sums over each cluster's queries."""
    return np.rint(cluster_sums(values.astype(np.float64), groups)).astype(np.int64)


def _counts(draw: np.random.Generator, resamples: int, count: int) -> NDArray[np.int64]:
    """[resamples, count]: how often each query, or cluster, is drawn, ``count`` draws a
    resample.
    """
    drawn = draw.integers(0, count, size=(resamples, count))
    drawn += np.arange(resamples)[:, None] * count
    return np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count)
