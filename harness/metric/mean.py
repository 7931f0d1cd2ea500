"""Means of many metrics over many trials: each metric is computed once for every tuple of ranks, then looked up."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from harness.metric.measure import ABSENT, NONE, Metric, Ranks, Values
from harness.threads import available, each

TABLE = 1 << 18
"""The most tuples that a table has."""
CHUNK = 1 << 16
"""How many queries of trials are looked up at once: 512 KiB of values, which stay in a processor's cache."""


def means(ranks: Ranks, metrics: Sequence[Metric]) -> Values:
    """float64[T, M]: the mean over the queries of each metric; NaN without queries.

    ranks: int32[T, Q, H]. The bits are those of ``metric(ranks[t]).mean()``.
    """
    trials, queries, hops = ranks.shape
    result = np.full((trials, len(metrics)), np.nan)
    if not queries:
        return result
    deepest = max((metric.k for metric in metrics if metric.k is not None), default=0)
    base = deepest + 3  # no passage, places 1 to deepest + 1, absent
    tabled = {m for m, metric in enumerate(metrics) if metric.k is not None and base**hops <= min(TABLE, ranks.size)}
    tuples = np.array([NONE, *range(1, deepest + 2), ABSENT], dtype=np.int32) if tabled else np.empty(0, np.int32)
    every = np.array(list(itertools.product(tuples, repeat=hops)), dtype=np.int32) if tabled else tuples
    tables = {m: metrics[m](every) for m in tabled}
    step = max(1, CHUNK // queries)

    def judge(start: int) -> None:
        from harness.metric.kernel import tuple_numbers

        part = ranks[start : start + step]
        numbers = tuple_numbers(part, deepest) if tabled else None
        for m, metric in enumerate(metrics):
            values = metric(part) if numbers is None or m not in tables else np.take(tables[m], numbers, mode="clip")
            result[start : start + step, m] = values.mean(axis=-1)

    for _ in each(judge, range(0, trials, step), available()):
        pass
    return result
