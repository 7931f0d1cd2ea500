"""The inner loop of exact scoring."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


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
def above(rough: NDArray[np.float32], least: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Row and column, int64[N], of the cells of rough [Q, D] that are at least their row's least; the most in a row."""
    total, width = 0, 0
    for row in range(rough.shape[0]):
        count = 0
        for column in range(rough.shape[1]):
            count += rough[row, column] >= least[row]
        total += count
        width = max(width, count)
    rows, columns = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    place = 0
    for row in range(rough.shape[0]):
        for column in range(rough.shape[1]):
            if rough[row, column] >= least[row]:
                rows[place], columns[place] = row, column
                place += 1
    return rows, columns, width
