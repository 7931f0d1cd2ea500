"""The compiled loop that counts gold ranks from fused scores."""

from __future__ import annotations

import numba
import numpy as np

from harness.core.arrays import Float64Array, Int32Array, Int64Array


@numba.njit(cache=True, nogil=True)
def count_better(
    fused: Float64Array, docs: Int32Array, columns: Int64Array, absent: int
) -> tuple[Int32Array, int]:
    """Return gold ranks int32[Q, H] (see ``gold_ranks``) and the first row with a NaN or inf (-1:
    none).

    Counts are integers, so their order cannot change them.
    """
    rows, width = docs.shape
    places = columns.shape[1]
    ranks = np.full((rows, places), absent, dtype=np.int32)
    for row in range(rows):
        stop = width
        while stop > 0 and docs[row, stop - 1] < 0:
            stop -= 1
        scores = fused[row, :stop]
        unordered = 0
        for column in range(stop):
            unordered += not scores[column] < np.inf
        if unordered:
            return ranks, row
        for place in range(places):
            gold_column = columns[row, place]
            if gold_column < 0 or gold_column >= stop or scores[gold_column] == -np.inf:
                continue
            score = scores[gold_column]
            better = 0
            for column in range(gold_column):
                better += scores[column] >= score
            for column in range(gold_column + 1, stop):
                better += scores[column] > score
            ranks[row, place] = 1 + better
    return ranks, -1
