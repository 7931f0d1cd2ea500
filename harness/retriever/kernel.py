"""The inner loop of exact scoring."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

STEP = 16
"""One value in so many tells roughly where the best ones of a row begin."""


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def inner_products(
    passages: NDArray[np.float32],
    questions: NDArray[np.float64],
    found: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """scores[q, j] = sum_i questions[q, i] passages[found[q, j], i], or -inf where found[q, j] is -1.

    Products of float32 values are exact in float64. The compiler chooses one order of the sum for all rows, so a score
    follows from its two vectors alone.
    """
    for row in range(found.shape[0]):
        question = questions[row]
        for place in range(found.shape[1]):
            number = found[row, place]
            if number < 0:
                scores[row, place] = -np.inf
                continue
            passage = passages[number]
            total = 0.0
            for i in range(question.shape[0]):
                total += np.float64(passage[i]) * question[i]
            scores[row, place] = total


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def inner_products_of(
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    found: NDArray[np.int64],
    rows: NDArray[np.int64],
    pairs: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """values[p] = sum_i questions[rows[p], i] passages[found[p], i], in float64, for the pairs p in the order given."""
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
    """The columns of each row of rough [Q, D] that are at least the row's ``depth``-th greatest value less ``margin``.

    Columns int64[N], ascending within a row, and indptr int64[Q + 1]. Every ``STEP``-th value of a row tells where to
    look: what is above a low quantile of them is kept, and if that is too little, the whole row is looked at.
    """
    rows, width = rough.shape
    indptr = np.zeros(rows + 1, dtype=np.int64)
    columns = np.empty(rows * (depth + 64), dtype=np.int64)
    kept, values = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.float32)
    size = 0
    for row in range(rows):
        scores = rough[row]
        sample = scores[::STEP].copy()
        expected = depth // STEP
        beyond = expected + 4 * int(np.sqrt(expected)) + 8
        guess = np.float32(-np.inf)
        if beyond < len(sample):
            guess = np.partition(sample, len(sample) - beyond)[len(sample) - beyond]
        while True:
            count = 0
            for column in range(width):
                kept[count], values[count] = column, scores[column]
                count += scores[column] >= guess
            least = np.float32(-np.inf)
            if count >= depth:
                least = np.partition(values[:count], count - depth)[count - depth] - margin
            if guess <= least or guess == -np.inf:
                break
            guess = least
        if size + count > len(columns):
            columns = np.concatenate((columns, np.empty(len(columns) + count, dtype=np.int64)))
        for place in range(count):
            columns[size] = kept[place]
            size += values[place] >= least
        indptr[row + 1] = size
    return columns[:size], indptr


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
