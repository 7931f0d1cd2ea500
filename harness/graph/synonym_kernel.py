"""The inner loop of the search for names that are alike."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

STRIDE = 64
"""Cells whose greatest value is taken first: almost all such runs hold nothing."""


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nnan"})
def near(
    bound: NDArray[np.float32],
    least: np.float32,
    ones: NDArray[np.float32],
    others: NDArray[np.float32],
    after: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows i and columns j, int64[N], with j > i + after, bound[i, j] >= least and <ones[i],
    others[j]> >= least.
    """
    rows, columns = np.empty(256, dtype=np.int64), np.empty(256, dtype=np.int64)
    count = 0
    for i in range(bound.shape[0]):
        row = bound[i]
        for start in range(max(0, i + after + 1), len(row), STRIDE):
            stop = min(start + STRIDE, len(row))
            greatest = row[start]
            for j in range(start + 1, stop):
                greatest = max(greatest, row[j])
            if greatest < least:
                continue
            for j in range(start, stop):
                if row[j] < least:
                    continue
                total = np.float32(0)
                for k in range(ones.shape[1]):
                    total += ones[i, k] * others[j, k]
                if total < least:
                    continue
                if count == len(rows):
                    rows = np.concatenate((rows, np.empty_like(rows)))
                    columns = np.concatenate((columns, np.empty_like(columns)))
                rows[count], columns[count] = i, j
                count += 1
    return rows[:count], columns[:count]
