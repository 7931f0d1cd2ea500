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
