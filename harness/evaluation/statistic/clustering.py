"""Queries that share gold passages are not independent: their clusters, and what follows for tests
and intervals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]

FEWEST, LARGE = 25, 6.0
"""The bounds of ``too_few``."""


def cluster_sums(values: NDArray[np.float64], labels: Labels) -> NDArray[np.float64]:
    """float64[..., C]: the sum of ``values`` [..., Q] over each cluster's queries; labels int64[Q]
    from 0 on.
    """
    count = int(labels.max(initial=-1)) + 1
    sums: NDArray[np.float64]
    if values.ndim == 1:
        sums = np.bincount(labels, values, count).astype(np.float64, copy=False)
        return sums
    from scipy.sparse import csr_array

    members = csr_array(
        (np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(count, len(labels))
    )
    sums = (members @ values.reshape(-1, len(labels)).T).T
    return sums.reshape(*values.shape[:-1], count)


def design_effect(values: NDArray[np.float64], labels: Labels) -> NDArray[np.float64]:
    """float64[...]: by how much clusters multiply the variance of the mean of ``values`` [..., Q];
    at least 1.

    1 + r (sum of n_c^2 / n - 1), n_c the clusters' sizes (Kish 1965). r is the correlation within
    clusters: the mean, over the queries that share a cluster, of a query's deviation times the mean
    one of the cluster's others, divided by the variance; held in [0, 1]. A great cluster weighs by
    its queries, not by its pairs, of which it has nearly all. n / design effect is the effective n:
    so many independent queries tell as much.
    """
    sizes = np.bincount(labels)
    deviations = values - values.mean(axis=-1, keepdims=True)
    shared, squares = sizes > 1, deviations**2
    if not shared.any():
        return np.ones(values.shape[:-1])
    products = (cluster_sums(deviations, labels) ** 2 - cluster_sums(squares, labels))[..., shared]
    mean_product = (products / (sizes[shared] - 1)).sum(axis=-1) / sizes[shared].sum()
    variance = squares.mean(axis=-1)
    r = np.clip(
        np.divide(mean_product, variance, out=np.zeros_like(variance), where=variance > 0), 0, 1
    )
    return np.asarray(1 + r * ((sizes**2).sum() / len(labels) - 1))


def correlation(values: NDArray[np.float64], labels: Labels) -> float:
    """The ANOVA intraclass correlation of ``values`` [Q] within clusters, held in [0, 1] (Donner
    1986).

    (B - W) / (B + (s - 1) W): B, W the mean squares between and within the C clusters of sizes s_c,
    and s = (Q - sum of s_c^2 / Q) / (C - 1). 0 where every cluster has one query, or there is only
    one cluster.
    """
    labels = np.unique(labels, return_inverse=True)[1]
    sizes, n = np.bincount(labels), len(labels)
    count = len(sizes)
    if not 1 < count < n:
        return 0.0
    means = cluster_sums(values, labels) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    within = float(((values - means[labels]) ** 2).sum()) / (n - count)
    size = (n - (sizes**2).sum() / n) / (count - 1)
    whole = between + (size - 1) * within
    return float(np.clip((between - within) / whole, 0, 1)) if whole > 0 else 0.0


def clustered_mcnemar(signs: NDArray[np.float64], labels: Labels) -> float:
    """Exact two-sided p of wins against losses when whole clusters change sides by a coin.

    signs: [Q], +1 for a win, -1 for a loss, 0. A cluster's net wins s_c keep or change their sign;
    p is the share of the 2^C patterns in which |sum of s_c| is at least the observed one. McNemar's
    where no two queries that differ share a cluster; 1 when every s_c is 0.
    """
    sums = np.rint(cluster_sums(signs, labels)).astype(np.int64)
    chances = _flips(sums, 0.5)
    nets = np.abs(2 * np.arange(len(chances)) - (len(chances) - 1))
    return float(min(1.0, chances[nets >= abs(int(sums.sum()))].sum()))


def clustered_power(
    signs: NDArray[np.float64], labels: Labels, won: float, alpha: float = 0.05
) -> float:
    """The probability that ``clustered_mcnemar`` has p <= alpha in favour, where a cluster is won
    with probability won.

    signs, labels: as of ``clustered_mcnemar``; a cluster's |s_c| is taken as it is, its side is
    drawn. Exact, however few clusters hold how much: such sums are far from normal, and no
    effective number of queries gives their power.
    """
    sums = np.rint(cluster_sums(signs, labels)).astype(np.int64)
    equal, biased = _flips(sums, 0.5), _flips(sums, won)
    above = (
        2 * equal[::-1].cumsum()[::-1]
    )  # p of each net above 0, from the least sum of clusters won to the greatest
    rejected = (above <= alpha) & (2 * np.arange(len(equal)) > len(equal) - 1)
    return float(min(1.0, biased[rejected].sum()))


def _flips(sums: NDArray[np.int64], won: float) -> NDArray[np.float64]:
    """The probability of each sum of |s_c| over clusters that are won, from 0 to that of all."""
    from scipy.special import gammaln

    chances = np.ones(1)
    for size, count in zip(*np.unique(np.abs(sums[sums != 0]), return_counts=True), strict=True):
        wins = np.arange(count + 1)
        step = np.zeros(size * count + 1)
        even = np.exp(
            gammaln(count + 1) - gammaln(wins + 1) - gammaln(count - wins + 1) - count * np.log(2)
        )
        step[::size] = even * (2 * won) ** wins * (2 - 2 * won) ** (count - wins)
        chances = np.convolve(chances, step)
    return chances


def effective_clusters(sizes: NDArray[np.int64]) -> float:
    """n^2 / (sum of n_c^2), clusters of equal size that would vary as little (Potthoff, Woodbury &
    Manton 1992).
    """
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(sizes) else 0.0


def share(labels: Labels | None) -> bool:
    """Whether any two queries have the same cluster. None: each query by itself."""
    return labels is not None and len(np.unique(labels)) < len(labels)


def dominant(labels: Labels) -> int | None:
    """The cluster of more than half of the queries, but not of all; None where there is none."""
    sizes = np.bincount(labels)
    first = int(sizes.argmax())
    return first if len(labels) / 2 < sizes[first] < len(labels) else None


def too_few(labels: Labels) -> bool:
    """Whether clusters are too few, and too large, for a p or an interval by cluster.

    Without the largest cluster, of which one sign is a coin and no p by itself, fewer than
    ``FEWEST`` effective ones whose average query has more than ``LARGE`` - 1 others with it. Where
    few clusters hold nearly all queries and are won as a whole, but seldom, in many samples none
    is, and all of them lose a little: that looks like an effect. ``harness calibrate clusters``
    shows what the bounds keep.
    """
    sizes = np.sort(np.bincount(np.unique(labels, return_inverse=True)[1]))[:-1]
    if not len(sizes):
        return len(labels) > 1
    return effective_clusters(sizes) < FEWEST and float((sizes**2).sum() / sizes.sum()) > LARGE


def degrees(labels: Labels) -> float:
    """Degrees of freedom of what is estimated from clusters: how many effective ones there are
    beside the largest.

    C - 1 of C equal clusters; at least 1.
    """
    return max(1.0, effective_clusters(np.sort(np.bincount(labels))[:-1]))
