"""The inner loop of exact scoring."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def sum_products(
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    found: NDArray[np.int64],
    rows: NDArray[np.int64],
    pairs: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """values[p] = sum_i questions[rows[p], i] passages[found[p], i], in float64, for the pairs p in
    the order given.

    Products of float32 values are exact in float64. The compiler chooses one order of the sum for
    all pairs, so a value follows from its two vectors alone.
    """
    for pair in pairs:
        question, passage = questions[rows[pair]], passages[found[pair]]
        total = 0.0
        for i in range(question.shape[0]):
            total += np.float64(passage[i]) * np.float64(question[i])
        values[pair] = total
