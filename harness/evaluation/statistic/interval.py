"""Intervals of a proportion (Wilson) and of a mean (bootstrap)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import HarnessError, bounded, whole_number
from harness.evaluation.statistic.clustering import Labels, share
from harness.evaluation.statistic.difference import ClusteredScore
from harness.evaluation.statistic.paired import check_counts

Values = Float64Array

BLOCK = 1 << 22
"""Number of resampled values in memory at once (32 MiB)."""


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's (1927) score interval of ``successes`` out of ``n``; (0, 1) if n is 0.

    Divide both by a design effect for the interval by cluster.

    >>> tuple(round(100 * end, 1) for end in wilson(26, 66))
    (28.5, 51.5)
    """
    bounded("level", level, 0, 1, open_low=True)
    check_counts(successes=successes, n=n)
    if successes > n:
        raise HarnessError(f"wilson: successes must be in [0, n={n}], got successes={successes}")
    if n == 0 or level == 1:
        return 0.0, 1.0
    low, high = wilson_bounds(np.array(successes), n, level).tolist()
    return low, high


def wilson_bounds(successes: Int64Array | Values, n: float | Values, level: float = 0.95) -> Values:
    """Return float64[T, 2], Wilson's interval of each trial's successes out of n >= 1, or effective
    n.
    """
    from scipy.special import ndtri

    z2, portion = ndtri((1 + level) / 2) ** 2, successes / n
    middle = (portion + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * (portion * (1 - portion) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low, high = (
        np.where(successes == 0, 0, middle - reach),
        np.where(successes == n, 1, middle + reach),
    )
    return np.stack([low, high], axis=-1)


def clustered_wilson(values: Values, labels: Labels | None) -> Values:
    """Return float64[..., 2], Wilson's 95% interval of the mean of 0/1 ``values`` [..., Q].

    By cluster if questions share one.
    """
    if labels is None or not share(labels):
        return wilson_bounds(values.sum(axis=-1), values.shape[-1])
    own = np.unique(labels, return_inverse=True)[1]
    rows = [
        ClusteredScore.of(row, own, "hits").interval(low=0.0, high=1.0)
        for row in values.reshape(-1, len(own))
    ]
    return np.array(rows).reshape(*values.shape[:-1], 2)


def bootstrap(
    values: ArrayLike, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Return the percentile interval of the mean of ``values``, resampling questions (Efron 1979).

    It is seeded, so the same values always give the same interval. (NaN, NaN) without values.
    """
    whole_number("resamples", resamples, 1)
    bounded("level", level, 0, 1, open_low=True)
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not np.isfinite(sample).all():
        raise HarnessError(
            "bootstrap: values must be one finite number a query, got an array of shape "
            f"{sample.shape}"
        )
    if len(sample) == 0:
        return float("nan"), float("nan")
    draw = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(resamples)
    step = max(1, BLOCK // len(sample))
    for start in range(0, resamples, step):
        block = means[start : start + step]
        block[:] = sample[draw.integers(0, len(sample), size=(len(block), len(sample)))].mean(
            axis=1
        )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
