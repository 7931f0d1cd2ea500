"""The loops that find gold passages: counted from fused scores, or looked up in lists."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def count_better(
    fused: NDArray[np.float64], docs: NDArray[np.int32], columns: NDArray[np.int64], absent: int
) -> tuple[NDArray[np.int32], int]:
    """int32[Q, H] gold ranks as ``harness.metric.gold_ranks`` defines them, and the first row with a NaN (-1: none).

    Counts are integers, so the order of counting cannot change them.
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
            unordered += scores[column] != scores[column]
        if unordered:
            return ranks, row
        for place in range(places):
            own = columns[row, place]
            if own < 0 or own >= stop or scores[own] == -np.inf:
                continue
            score = scores[own]
            better = 0
            for column in range(own):
                better += scores[column] >= score
            for column in range(own + 1, stop):
                better += scores[column] > score
            ranks[row, place] = 1 + better
    return ranks, -1


@numba.njit(cache=True, nogil=True)
def places(
    indptr: NDArray[np.int64], docs: NDArray[np.int32], gold: NDArray[np.int32], ranks: NDArray[np.int32]
) -> None:
    """Writes into ranks [Q, H] the place of each gold passage in its query's list, where that holds it."""
    for row in range(len(gold)):
        for entry in range(indptr[row], indptr[row + 1]):
            doc = docs[entry]
            for hop in range(gold.shape[1]):
                if gold[row, hop] == doc:
                    ranks[row, hop] = entry - indptr[row] + 1


@numba.njit(cache=True, nogil=True)
def tuple_numbers(ranks: NDArray[np.int32], deepest: int) -> NDArray[np.int64]:
    """int64[T, Q]: the place of each tuple of ranks [T, Q, H] in the table of all tuples of deepest + 3 kinds of place.

    The kinds are: no passage, 1 to deepest, and two for what is below: all of that counts as the first of them.
    """
    trials, queries, hops = ranks.shape
    numbers = np.empty((trials, queries), dtype=np.int64)
    for trial in range(trials):
        for query in range(queries):
            number = 0
            for hop in range(hops):
                number = number * (deepest + 3) + max(0, min(ranks[trial, query, hop], deepest + 1))
            numbers[trial, query] = number
    return numbers
