"""Queries that share gold passages are not independent: their clusters, and what follows for tests and intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.errors import HarnessError, bounded, whole_number

Labels = NDArray[np.int64]

BLOCK = 1000
"""Resamples held at once."""


def cluster_sums(values: NDArray[np.float64], labels: Labels) -> NDArray[np.float64]:
    """float64[..., C]: the sum of ``values`` [..., Q] over each cluster's queries; labels int64[Q] from 0 on."""
    from scipy.sparse import csr_array

    count = int(labels.max(initial=-1)) + 1
    members = csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(count, len(labels)))
    sums: NDArray[np.float64] = (members @ values.reshape(-1, len(labels)).T).T
    return sums.reshape(*values.shape[:-1], count)


def design_effect(values: NDArray[np.float64], labels: Labels) -> NDArray[np.float64]:
    """float64[...]: by how much clusters multiply the variance of the mean of ``values`` [..., Q]; at least 1.

    1 + r (sum of n_c^2 / n - 1), n_c the clusters' sizes (Kish 1965). r is the correlation within clusters: the mean,
    over the queries that share a cluster, of a query's deviation times the mean one of the cluster's others, divided by
    the variance; held in [0, 1]. A great cluster weighs by its queries, not by its pairs, of which it has nearly all.
    n / design effect is the effective n: so many independent queries tell as much.
    """
    sizes = np.bincount(labels)
    deviations = values - values.mean(axis=-1, keepdims=True)
    shared, squares = sizes > 1, deviations**2
    if not shared.any():
        return np.ones(values.shape[:-1])
    products = (cluster_sums(deviations, labels) ** 2 - cluster_sums(squares, labels))[..., shared]
    mean_product = (products / (sizes[shared] - 1)).sum(axis=-1) / sizes[shared].sum()
    variance = squares.mean(axis=-1)
    r = np.clip(np.divide(mean_product, variance, out=np.zeros_like(variance), where=variance > 0), 0, 1)
    return np.asarray(1 + r * ((sizes**2).sum() / len(labels) - 1))


def correlation(values: NDArray[np.float64], labels: Labels) -> float:
    """The ANOVA intraclass correlation of ``values`` [Q] within clusters, held in [0, 1] (Donner 1986).

    (B - W) / (B + (s - 1) W): B, W the mean squares between and within the C clusters of sizes s_c, and
    s = (Q - sum of s_c^2 / Q) / (C - 1). 0 where every cluster has one query, or there is only one cluster.
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

    signs: [Q], +1 for a win, -1 for a loss, 0. A cluster's net wins s_c keep or change their sign; p is the share of
    the 2^C patterns in which |sum of s_c| is at least the observed one. McNemar's where no two queries that differ
    share a cluster; 1 when every s_c is 0.
    """
    from scipy.special import gammaln

    sums = np.rint(cluster_sums(signs, labels)).astype(np.int64)
    chances = np.ones(1)  # of each sum of the clusters that are won
    for size, count in zip(*np.unique(np.abs(sums[sums != 0]), return_counts=True), strict=True):
        won = np.arange(count + 1)
        step = np.zeros(size * count + 1)
        step[::size] = np.exp(gammaln(count + 1) - gammaln(won + 1) - gammaln(count - won + 1) - count * np.log(2))
        chances = np.convolve(chances, step)
    nets = np.abs(2 * np.arange(len(chances)) - (len(chances) - 1))
    return float(min(1.0, chances[nets >= abs(int(sums.sum()))].sum()))


def clustered_bootstrap(
    values: ArrayLike, labels: ArrayLike, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean of ``values`` (one a query), resampling clusters (Davison & Hinkley 1997, 3.8).

    labels: each query's cluster; a drawn cluster brings all its queries. Where each query is its own cluster it is,
    but for the expansion, the bootstrap of queries. Never much narrower than that, and wider where queries of a cluster
    succeed and fail together. The percentiles are those of ``expanded`` at the effective number of clusters.
    (NaN, NaN) for no values.
    """
    whole_number("resamples", resamples, 1)
    bounded("level", level, 0, 1, open_low=True)
    sample, places = np.asarray(values, dtype=np.float64), np.unique(np.asarray(labels), return_inverse=True)[1]
    if sample.ndim != 1 or sample.shape != places.shape:
        raise HarnessError(f"clustered_bootstrap: {sample.shape} values need as many labels, got {places.shape}")
    if not len(sample):
        return float("nan"), float("nan")
    sums, sizes = np.bincount(places, weights=sample), np.bincount(places)
    draw = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(resamples)
    for start in range(0, resamples, BLOCK):
        block = means[start : start + BLOCK]
        drawn = draw.integers(0, len(sums), size=(len(block), len(sums)))
        block[:] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    wider = expanded(level, effective_clusters(sizes))
    low, high = np.quantile(means, [(1 - wider) / 2, (1 + wider) / 2])
    return float(low), float(high)


def effective_clusters(sizes: NDArray[np.int64]) -> float:
    """n^2 / (sum of n_c^2), clusters of equal size that would vary as little (Potthoff, Woodbury & Manton 1992)."""
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def expanded(level: float, clusters: float) -> float:
    """The level of the percentile interval that covers like a t interval of so many clusters (Hesterberg 2015).

    2 Phi(t sqrt(G / (G - 1))) - 1, t the quantile of Student's distribution with G - 1 degrees of freedom. Plain
    percentiles are too narrow by that: they take the spread of G clusters for that of all. 1 for one cluster.
    """
    from scipy.special import ndtr, stdtrit

    if clusters <= 1:
        return 1.0
    reach = stdtrit(clusters - 1, (1 + level) / 2) * (clusters / (clusters - 1)) ** 0.5
    return float(2 * ndtr(reach) - 1)
