"""Queries that share passages are not independent: their clusters, and a bootstrap that draws whole clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import HarnessError, bounded

BLOCK = 1000
"""Resamples held at once."""


def clusters(gold: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[Q]: queries with the same number are linked by shared gold passages, directly or through others.

    gold: int32[Q, H], passage numbers, -1 for none. Numbers are counted by first appearance.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, places = np.nonzero(gold >= 0)
    passages = gold[rows, places].astype(np.int64) + len(gold)
    size = len(gold) + int(gold.max(initial=0)) + 1
    links = coo_array((np.ones(len(rows), dtype=np.int8), (rows, passages)), shape=(size, size))
    labels = connected_components(links, directed=False)[1][: len(gold)]
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int64)


def clustered_bootstrap(
    values: ArrayLike, labels: ArrayLike, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean of ``values`` (one a query), resampling clusters (Davison & Hinkley 1997, 3.8).

    labels: each query's cluster; a drawn cluster brings all its queries. Where each query is its own cluster it is the
    bootstrap of queries. Never much narrower than that, and wider where queries of a cluster succeed and fail together.
    (NaN, NaN) for no values.
    """
    bounded("resamples", resamples, 1)
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
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
