"""The inner loop of exact scoring."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

FOLD = 16
"""So many columns at most share a part, whose greatest value alone tells where the best ones of a row begin."""
HALVINGS = 16
"""Of the span of those values, in search of where."""


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def sum_products(
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    found: NDArray[np.int64],
    rows: NDArray[np.int64],
    pairs: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """values[p] = sum_i questions[rows[p], i] passages[found[p], i], in float64, for the pairs p in the order given.

    Products of float32 values are exact in float64. The compiler chooses one order of the sum for all pairs, so a value
    follows from its two vectors alone.
    """
    for pair in pairs:
        question, passage = questions[rows[pair]], passages[found[pair]]
        total = 0.0
        for i in range(question.shape[0]):
            total += np.float64(passage[i]) * np.float64(question[i])
        values[pair] = total


@numba.njit(cache=True, nogil=True)
def candidates(
    rough: NDArray[np.float32], depth: int, margin: np.float32
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns of each row of rough [Q, D] that are at least a bar less ``margin``, and few others than the best.

    Columns int64[N], ascending within a row, and indptr int64[Q + 1]. The bar is at most the row's ``depth``-th
    greatest value: ``depth`` parts of the row, which share no column, have a greatest value that reaches it.
    """
    rows, width = rough.shape
    fold = max(1, min(FOLD, width // (8 * depth)))
    greatest = np.empty(-(-width // fold), dtype=np.float32)
    indptr = np.zeros(rows + 1, dtype=np.int64)
    columns = np.empty(rows * (depth + 64), dtype=np.int64)
    size = 0
    for row in range(rows):
        scores = rough[row]
        least = bar(scores, depth, greatest) - margin
        count = 0
        for column in range(width):
            count += scores[column] >= least
        if size + count >= len(columns):
            columns = np.concatenate((columns, np.empty(len(columns) + count, dtype=np.int64)))
        for column in range(width):
            columns[size] = column
            size += scores[column] >= least
        indptr[row + 1] = size
    return columns[:size], indptr


@numba.njit(cache=True, nogil=True)
def bar(scores: NDArray[np.float32], depth: int, greatest: NDArray[np.float32]) -> np.float32:
    """A value that at least ``depth`` of the scores reach, close to the greatest such value.

    Column c belongs to part c mod P of P = len(greatest) >= depth parts. Halvings find a value that the greatest scores
    of ``depth`` parts reach; scores that fall into the parts at random reach it about 1.07 ``depth`` times for P = 8
    ``depth``.
    """
    parts = len(greatest)
    greatest[:] = scores[:parts]
    for first in range(parts, len(scores), parts):
        others = scores[first : first + parts]
        for place in range(len(others)):
            one, other = greatest[place], others[place]
            greatest[place] = one if one > other else other
    low, high = np.float32(greatest.min()), np.float32(greatest.max())
    for _ in range(HALVINGS):
        middle = np.float32(0.5) * (low + high)
        reached = 0
        for place in range(parts):
            reached += greatest[place] >= middle
        if reached >= depth:
            low = middle
        else:
            high = middle
    return low


@numba.njit(cache=True, nogil=True)
def by_passage(found: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """int64[N]: the order that brings the passages found, int64[N] below ``count``, together."""
    starts = np.zeros(count + 1, dtype=np.int64)
    for passage in found:
        starts[passage + 1] += 1
    starts = np.cumsum(starts)
    order = np.empty(len(found), dtype=np.int64)
    for place in range(len(found)):
        order[starts[found[place]]] = place
        starts[found[place]] += 1
    return order


@numba.njit(cache=True, nogil=True)
def settle(values: NDArray[np.float64], order: NDArray[np.int64]) -> None:
    """Where values [Q, N], sorted within a row, are equal, puts their places in order, [Q, N], into ascending order."""
    for row in range(values.shape[0]):
        first = 0
        for place in range(1, values.shape[1] + 1):
            if place == values.shape[1] or values[row, place] != values[row, first]:
                if place - first > 1:
                    order[row, first:place] = np.sort(order[row, first:place])
                first = place
