"""Metrics that look at a list's first places alone: computed once for every tuple of ranks, then looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.metric.measure import NONE, Metric, Ranks, Values
from harness.threads import available, each

TABLE = 1 << 18
"""The most tuples that there may be."""
CHUNK = 1 << 16
"""How many queries of trials a thread takes at once."""


@dataclass(frozen=True, eq=False)
class Tabled:
    """The values of M metrics for ranks int32[T, Q, H], as a table of the tuples of ranks that occur.

    numbers: int32[T, Q], the number of each query's tuple.    rows: int32[N], each tuple's row in the table.
    values: float64[R, M].
    """

    numbers: NDArray[np.int32]
    rows: NDArray[np.int32]
    values: Values

    @classmethod
    def of(cls, ranks: Ranks, metrics: Sequence[Metric]) -> Tabled | None:
        """None when a metric looks at all of a list, or when there are too many tuples for a table."""
        from harness.metric.kernel import tuple_numbers

        trials, queries, hops = ranks.shape
        depths = [metric.k for metric in metrics if metric.k is not None]
        deepest = max(depths, default=0)
        base = deepest + 2  # no passage, places 1 to deepest, below them
        if len(depths) < len(metrics) or not hops or base**hops > min(TABLE, ranks.size):
            return None
        numbers, occur = np.empty((trials, queries), dtype=np.int32), np.zeros(base**hops, dtype=np.bool_)

        def number(part: slice) -> NDArray[np.bool_]:
            return tuple_numbers(np.ascontiguousarray(ranks[part], dtype=np.int32), deepest, numbers[part])

        for met in each(number, parts(trials, queries), available()):
            occur |= met
        kinds = np.array([NONE, *range(1, deepest + 2)], dtype=np.int32)
        tuples = kinds[np.stack(np.unravel_index(np.flatnonzero(occur), (base,) * hops), axis=-1)]
        rows = np.cumsum(occur, dtype=np.int32) - np.int32(1)
        return cls(numbers, rows, np.stack([metric(tuples) for metric in metrics], axis=-1))


def parts(trials: int, queries: int) -> list[slice]:
    """The trials, so many at once that a thread has ``CHUNK`` values."""
    step = max(1, CHUNK // max(1, queries))
    return [slice(start, start + step) for start in range(0, trials, step)]
