"""A test whether a difference varies between groups of questions, such as hop counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.evaluation.statistic.clustering import Labels, cluster_sums, effective_clusters

LEAST = 30
"""The smallest group in the test; the error of a smaller one is not known well enough."""


def interaction(
    values: Float64Array, members: Sequence[Int64Array], labels: Labels
) -> float | None:
    """Return p of "the mean of ``values`` is the same in all groups".

    None with fewer than two groups of ``LEAST`` questions. Wald's F of the groups' means with the
    covariance that is robust to clusters (Liang & Zeger 1986), C / (C - 1) times: that of
    statsmodels without its (n - 1) / (n - k). The second degrees of freedom are the fewest
    effective clusters of a group, less 1.

    Args:
        values: float64[Q], differences of two systems.
        members: the questions of each group, without overlap.
        labels: int64[Q], clusters.
    """
    from scipy.special import fdtrc

    taken = [part for part in members if len(part) >= LEAST]
    if len(taken) < 2:
        return None
    own = np.unique(labels[np.concatenate(taken)])
    places = np.searchsorted(own, labels)
    means = np.array([values[part].mean() for part in taken])
    scores = np.zeros((len(taken), len(own)))
    for row, (part, mean) in enumerate(zip(taken, means, strict=True)):
        sums = cluster_sums(values[part] - mean, places[part])
        scores[row, : len(sums)] = sums / len(part)
    contrast = np.eye(len(taken))[1:] - np.eye(len(taken))[0]
    spread = contrast @ (scores @ scores.T * len(own) / (len(own) - 1)) @ contrast.T
    apart = contrast @ means
    if np.linalg.matrix_rank(spread) < len(apart):
        return None
    statistic = float(apart @ np.linalg.solve(spread, apart)) / len(apart)
    fewest = min(effective_clusters(np.bincount(places[part])) for part in taken)
    return float(fdtrc(len(apart), max(1.0, fewest - 1), statistic))
