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
    """Writes into ranks [Q, H] the place of each gold passage in its query's list, where that holds it.

    A list holds a passage once, so a sum over all its places is that place; it takes no branch.
    """
    for row in range(len(gold)):
        start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
        for hop in range(gold.shape[1]):
            doc = gold[row, hop]
            if doc >= 0:
                place = np.int32(0)
                for entry in range(stop - start):
                    place += np.int32(entry + 1) * np.int32(docs[start + entry] == doc)
                if place:
                    ranks[row, hop] = place


@numba.njit(cache=True, nogil=True)
def tuple_numbers(ranks: NDArray[np.int32], deepest: int, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[N]: which tuples of deepest + 2 kinds of place occur; writes the number of each tuple of ranks [T, Q, H].

    The kinds are: no passage, 1 to deepest, and what is below.
    """
    trials, queries, hops = ranks.shape
    occur = np.zeros((deepest + 2) ** hops, dtype=np.bool_)
    for trial in range(trials):
        for query in range(queries):
            number = 0
            for hop in range(hops):
                number = number * (deepest + 2) + max(0, min(ranks[trial, query, hop], deepest + 1))
            numbers[trial, query] = number
            occur[number] = True
    return occur


@numba.njit(cache=True, nogil=True)
def compared(
    numbers: NDArray[np.int32],
    values: NDArray[np.float64],
    baseline: NDArray[np.float64],
    won: NDArray[np.bool_],
    lost: NDArray[np.bool_],
) -> None:
    """Writes bool[T, Q] each: whether a tuple's value, by its number [T, Q], is above, or below, the baseline's."""
    for trial in range(len(numbers)):
        for query in range(numbers.shape[1]):
            value = values[numbers[trial, query]]
            won[trial, query] = value > baseline[query]
            lost[trial, query] = value < baseline[query]


WIDTH = 8
"""Metrics that are added at once: a vector of the processor."""


@numba.njit(cache=True, nogil=True)
def sums(
    numbers: NDArray[np.int32],
    rows: NDArray[np.int32],
    table: NDArray[np.float64],
    leaves: NDArray[np.int64],
    result: NDArray[np.float64],
) -> None:
    """result[T, M]: the sums over the queries of table[rows[numbers[T, Q]]], in NumPy's order (``mean.pairwise``)."""
    width = table.shape[1]
    running = np.empty((8, width))
    waiting = np.empty((len(leaves) + 1, width))
    for trial in range(len(numbers)):
        start, depth = 0, 0
        for leaf in range(len(leaves)):
            size = leaves[leaf, 0]
            whole = size - size % 8 if size >= 8 else 0
            for first in range(0, whole, 8):
                for lane in range(8):
                    row = rows[numbers[trial, start + first + lane]]
                    for block in range(0, width, WIDTH):
                        for metric in range(WIDTH):
                            if first:
                                running[lane, block + metric] += table[row, block + metric]
                            else:
                                running[lane, block + metric] = table[row, block + metric]
            for metric in range(width):
                total = 0.0
                if whole:
                    total = ((running[0, metric] + running[1, metric]) + (running[2, metric] + running[3, metric])) + (
                        (running[4, metric] + running[5, metric]) + (running[6, metric] + running[7, metric])
                    )
                for query in range(start + whole, start + size):
                    total += table[rows[numbers[trial, query]], metric]
                waiting[depth, metric] = total
            depth += 1
            for _ in range(leaves[leaf, 1]):
                depth -= 1
                for metric in range(width):
                    waiting[depth - 1, metric] += waiting[depth, metric]
            start += size
        result[trial] = waiting[0]
