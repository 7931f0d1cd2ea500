"""Means of many metrics over many trials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.metric.measure import Metric, Ranks, Values
from harness.metric.tabled import Tabled, parts
from harness.threads import available, each

LEAF = 128
"""NumPy adds so many values in eight running sums, and more of them by halves."""


def means(ranks: Ranks, metrics: Sequence[Metric]) -> Values:
    """float64[T, M]: the mean over the queries of each metric; NaN without queries.

    ranks: int32[T, Q, H]. The bits are those of ``metric(ranks[t]).mean()``: the sums are taken in NumPy's order.
    """
    trials, queries, _ = ranks.shape
    result = np.full((trials, len(metrics)), np.nan)
    if not queries:
        return result
    found = [metric for metric in metrics if metric.k is not None]
    tabled = Tabled.of(ranks, found) if found else None
    if tabled is not None:
        result[:, [metric.k is not None for metric in metrics]] = _looked_up(tabled)
    for place, metric in enumerate(metrics):
        if tabled is None or metric.k is None:
            for part in parts(trials, queries):
                result[part, place] = metric(ranks[part]).mean(axis=-1)
    return result


def _looked_up(tabled: Tabled) -> Values:
    from harness.metric.kernel import WIDTH, sums

    trials, queries = tabled.numbers.shape
    kinds, count = tabled.values.shape
    table = np.zeros((kinds, -(-count // WIDTH) * WIDTH))
    table[:, :count] = tabled.values
    result = np.empty((trials, table.shape[1]))
    leaves = pairwise(queries)

    def add(part: slice) -> None:
        sums(tabled.numbers[part], tabled.rows, table, leaves, result[part])

    for _ in each(add, parts(trials, queries), available()):
        pass
    return np.asarray(result[:, :count] / queries, dtype=np.float64)


def pairwise(count: int) -> NDArray[np.int64]:
    """int64[L, 2]: how NumPy sums so many values: the length of each leaf, and how many sums are then added up."""
    if count <= LEAF:
        return np.array([[count, 0]])
    half = count // 2 - count // 2 % 8
    leaves = np.concatenate([pairwise(half), pairwise(count - half)])
    leaves[-1, 1] += 1
    return leaves
