"""McNemar, Wilson and Holm over hundreds of trials; tests hold them against statsmodels.

Importing statsmodels, or scipy.stats, would take most of the time of a short `harness compare`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.statistic.cluster import Labels, share
from harness.evaluation.statistic.difference import ClusteredScore

Counts = NDArray[np.int64]
Values = NDArray[np.float64]


def mcnemar_ps(wins: Counts, losses: Counts) -> Values:
    """float64[T]: exact two-sided p of each trial's wins against its losses."""
    from scipy.special import bdtr

    p: Values = np.minimum(1, 2 * bdtr(np.minimum(wins, losses), wins + losses, 0.5))
    return p


def wilson_bounds(successes: Counts | Values, n: float | Values, level: float = 0.95) -> Values:
    """float64[T, 2]: Wilson's interval of each trial's successes of n >= 1, or of effective ones."""
    from scipy.special import ndtri

    z2, share = ndtri((1 + level) / 2) ** 2, successes / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low, high = np.where(successes == 0, 0, middle - reach), np.where(successes == n, 1, middle + reach)
    return np.stack([low, high], axis=-1)


def clustered_wilson(values: Values, labels: Labels | None) -> Values:
    """float64[..., 2]: Wilson's 95% interval of the mean of ``values`` [..., Q] of 0 and 1, by cluster where shared."""
    if labels is None or not share(labels):
        return wilson_bounds(values.sum(axis=-1), values.shape[-1])
    own = np.unique(labels, return_inverse=True)[1]
    rows = [ClusteredScore.of(row, own, "hits").interval(low=0.0, high=1.0) for row in values.reshape(-1, len(own))]
    return np.array(rows).reshape(*values.shape[:-1], 2)


def holm_ps(ps: Values) -> Values:
    """float64[T]: Holm's step-down p values."""
    order = np.argsort(ps, kind="stable")
    adjusted = np.empty_like(ps)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1)))
    return adjusted
