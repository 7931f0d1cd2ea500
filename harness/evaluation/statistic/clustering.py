"""Clusters of questions that share gold passages, and their tests and intervals.

Such questions are not independent.
"""

from __future__ import annotations

import numpy as np

from harness.core.arrays import Float64Array, Int64Array

Labels = Int64Array

FEWEST, LARGE = 25, 6.0
"""Bounds of ``too_few``: effective clusters, and the cluster size of an average question."""


def cluster_sums(values: Float64Array, labels: Labels) -> Float64Array:
    """Return float64[..., C], the sums of ``values`` [..., Q] over clusters, int64[Q] from 0."""
    count = int(labels.max(initial=-1)) + 1
    sums: Float64Array
    if values.ndim == 1:
        sums = np.bincount(labels, values, count).astype(np.float64, copy=False)
        return sums
    from scipy.sparse import csr_array

    members = csr_array(
        (np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(count, len(labels))
    )
    sums = (members @ values.reshape(-1, len(labels)).T).T
    return sums.reshape(*values.shape[:-1], count)


def design_effect(values: Float64Array, labels: Labels) -> Float64Array:
    """Return float64[...], the factor by which clusters multiply the variance of a mean; 1 or more.

    1 + r (sum of n_c^2 / n - 1), with n_c the sizes of the clusters (Kish 1965). r is the
    correlation within clusters: over the questions that share a cluster, the mean of a question's
    deviation times the mean deviation of the cluster's other questions, divided by the variance;
    clipped to [0, 1]. A large cluster is weighted by its questions, not by its pairs, which are
    nearly all pairs. n / design effect is the effective n: that number of independent questions
    gives the same information.

    Args:
        values: float64[..., Q].
        labels: int64[Q], from 0.
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


def correlation(values: Float64Array, labels: Labels) -> float:
    """Return the ANOVA intraclass correlation of ``values`` [Q], clipped to [0, 1] (Donner 1986).

    (B - W) / (B + (s - 1) W), with B and W the mean squares between and within the C clusters of
    sizes s_c, and s = (Q - sum of s_c^2 / Q) / (C - 1). 0 if every cluster has one question, or
    there is only one cluster.
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


def clustered_mcnemar(signs: Float64Array, labels: Labels) -> float:
    """Return the exact two-sided p of wins against losses if a coin flips whole clusters.

    A cluster's net wins s_c keep or change their sign; p is the share of the 2^C patterns in which
    the absolute sum of s_c is at least the observed one. It is McNemar's p if no two questions that
    differ share a cluster, and 1 if every s_c is 0.

    Args:
        signs: float64[Q], +1 for a win, -1 for a loss, otherwise 0.
        labels: int64[Q], from 0.
    """
    sums = np.rint(cluster_sums(signs, labels)).astype(np.int64)
    chances = flip_chances(sums, 0.5)
    nets = np.abs(2 * np.arange(len(chances)) - (len(chances) - 1))
    return float(min(1.0, chances[nets >= abs(int(sums.sum()))].sum()))


def flip_chances(sums: Int64Array, won: float) -> Float64Array:
    """Return float64[S + 1], the probability of each sum of |s_c| over the clusters that are won.

    Args:
        sums: int64[C], the net wins s_c of each cluster; S is the sum of |s_c|.
        won: probability that a cluster is won.
    """
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


def effective_clusters(sizes: Int64Array) -> float:
    """Return n^2 / (sum of n_c^2), the number of clusters of equal size with the same variance.

    Potthoff, Woodbury & Manton (1992).
    """
    return float(sizes.sum() ** 2 / (sizes**2).sum()) if len(sizes) else 0.0


def share(labels: Labels | None) -> bool:
    """Return whether any two questions have the same cluster; False for None."""
    return labels is not None and len(np.unique(labels)) < len(labels)


def dominant(labels: Labels) -> int | None:
    """Return the cluster of more than half, but not all, of the questions, or None."""
    sizes = np.bincount(labels)
    first = int(sizes.argmax())
    return first if len(labels) / 2 < sizes[first] < len(labels) else None


def too_few(labels: Labels) -> bool:
    """Return whether clusters are too few and too large for a p or an interval.

    The largest cluster is left out: its sign is one coin and gives no p. The others are too few if
    their effective number is below ``FEWEST`` and their average question has more than ``LARGE`` -
    1 others in its cluster. If few clusters contain nearly all questions and are won as a whole,
    but seldom, many samples contain no such win and all clusters lose a little, which looks like an
    effect. ``harness calibrate clusters`` shows how the bounds perform.
    """
    sizes = np.sort(np.bincount(np.unique(labels, return_inverse=True)[1]))[:-1]
    if not len(sizes):
        return len(labels) > 1
    return effective_clusters(sizes) < FEWEST and float((sizes**2).sum() / sizes.sum()) > LARGE


def degrees(labels: Labels) -> float:
    """Return the degrees of freedom of a variance over clusters.

    It is the effective number of clusters without the largest: C - 1 for C equal clusters; 1 or
    more.
    """
    return max(1.0, effective_clusters(np.sort(np.bincount(labels))[:-1]))
