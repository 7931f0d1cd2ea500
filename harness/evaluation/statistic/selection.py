"""The score to expect, on new questions, from the best of many trials (the winner's curse)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.core.arrays import BoolArray, Float64Array, Int64Array
from harness.core.errors import bounded, whole_number
from harness.evaluation.statistic.clustering import Labels, cluster_sums, correlation

BLOCK = 500
"""Number of resamples in memory at once; fixed, so that the draws do not depend on the machine."""
UNIT = 1 << 20
"""Scores other than 0 and 1 are counted in units of 1 / UNIT, so that sums are exact."""


@dataclass(frozen=True)
class Expected:
    """A forecast of the winner's score.

    Attributes:
        tune: the winner's score on tune.
        score: the expected score on ``n`` new questions.
        bias: tune - score.
        low, high: the prediction interval.
        n: number of new questions.
    """

    tune: float
    score: float
    bias: float
    low: float
    high: float
    n: int


def expected(
    scores: Float64Array,
    losses: BoolArray,
    n: int,
    resamples: int = 5_000,
    level: float = 0.95,
    seed: int = 0,
    labels: Labels | None = None,
    fresh: Int64Array | None = None,
) -> Expected:
    """Return the expected score on ``n`` new questions of the trial that the rule chooses.

    The rule is best mean, then fewest losses, then first. The whole choice is repeated in each
    bootstrap resample of the questions, and the chosen trial is scored on the questions that the
    resample left out. The mean over resamples is the expected score (Tsamardinos, Greasidou &
    Borboudakis 2018, "bootstrap bias corrected"; Efron & Tibshirani 1997 for leaving out). A
    resample has 63% of the questions, on which the choice is a little worse, so the forecast is
    slightly low. The interval is ``predict``'s; the score is as uncertain as the trials chosen in
    the resamples vary, which may be more than the winner does.

    Args:
        scores: float64[T, Q] in [0, 1]; trials are in the order that settles ties.
        losses: bool[T, Q], lost questions.
        n: number of new questions.
        resamples: number of resamples.
        level: level of the interval.
        seed: seed of the resamples.
        labels: int64[Q] from 0, clusters; every draw is of whole clusters.
        fresh: sizes of the clusters of the new questions, n in all. None: no clusters.
    """
    whole_number("resamples", resamples, 1)
    bounded("level", level, 0, 1, open_low=True)
    if scores.ndim != 2 or scores.shape != losses.shape or not scores.size or n < 1:
        raise ValueError(
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
    keys, draw = value.T.astype(np.float64), np.random.Generator(np.random.PCG64(seed))
    outside = weight = 0
    for start in range(0, resamples, BLOCK):
        drawn = _counts(draw, min(BLOCK, resamples - start), count)
        chosen = np.argmax(drawn.astype(np.float64) @ keys, axis=1)
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
    values: Float64Array,
    labels: Labels,
    score: float,
    fresh: Int64Array,
    level: float = 0.95,
    spread: float | None = None,
) -> tuple[float, float]:
    """Return the interval of a mean over new questions, given the sizes of their clusters.

    With r the correlation within clusters, Q questions are worth N = Q / (1 + r (sum of s^2 / Q -
    1)) independent ones, s the clusters' sizes, and the new ones M. The true mean is Beta(score N +
    1/2, (1
    - score) N + 1/2), the new mean Binomial(M, p) / M; the bounds are quantiles of their mixture,
    widened by half a question of M. If values are not 0 or 1, N and M count questions of a
    proportion with the same variance: both are divided by variance / (m (1 - m)), with m their
    mean; N by ``spread`` if the score was estimated from values with that spread.

    Args:
        values: float64[Q] in [0, 1], the known values.
        labels: int64[Q], their clusters.
        score: the mean to expect.
        fresh: sizes of the new clusters.
        level: level of the interval.
        spread: see above.
    """
    from scipy.special import betaln

    r, observed = correlation(values, labels), float(_spread(values))

    def effective(sizes: Int64Array, varied: float) -> float:
        design = 1 + r * ((sizes**2).sum() / sizes.sum() - 1)
        return float(sizes.sum() / design / (varied or 1.0))

    known_spread = observed if spread is None else spread
    known = effective(np.bincount(labels), known_spread)
    size = max(1, round(effective(fresh, observed)))
    hits, a, b = np.arange(size + 1), score * known + 0.5, (1 - score) * known + 0.5
    ways = -np.log(size + 1) - betaln(size - hits + 1, hits + 1)  # log of size over hits
    cumulative = np.cumsum(np.exp(ways + betaln(hits + a, size - hits + b) - betaln(a, b)))
    low, high = np.searchsorted(cumulative, [(1 - level) / 2, (1 + level) / 2])
    return max(0.0, float(low - 0.5) / size), min(1.0, float(high + 0.5) / size)


def _spread(values: Float64Array) -> Float64Array:
    """Return float64[...], the variance of ``values`` [..., Q] relative to 0/1 values of the same
    mean.
    """
    mean = values.mean(axis=-1)
    greatest = mean * (1 - mean)
    spread: Float64Array = np.divide(
        values.var(axis=-1), greatest, out=np.ones_like(greatest), where=greatest > 0
    )
    return spread


def _distinct(points: Int64Array, losses: BoolArray) -> tuple[Int64Array, Int64Array]:
    """Return the points [U, Q] of the distinct trials, and points and losses as one number for the
    rule.

    A loss weighs less than one point in any resample: a point is Q + 1 losses.
    """
    value = points * (points.shape[1] + 1) - losses
    first_trials: dict[bytes, int] = {}
    for number, row in enumerate(value):
        first_trials.setdefault(row.tobytes(), number)
    distinct = list(first_trials.values())
    return points[distinct], value[distinct]


def _sums(values: Int64Array, groups: Labels) -> Int64Array:
    """Return [T, C], the sums over each cluster."""
    return np.rint(cluster_sums(values.astype(np.float64), groups)).astype(np.int64)


def _counts(draw: np.random.Generator, resamples: int, count: int) -> Int64Array:
    """Return [resamples, count], how often each cluster is drawn, with ``count`` draws in a
    resample.
    """
    drawn = draw.integers(0, count, size=(resamples, count))
    drawn += np.arange(resamples)[:, None] * count
    return np.bincount(drawn.ravel(), minlength=resamples * count).reshape(resamples, count)
