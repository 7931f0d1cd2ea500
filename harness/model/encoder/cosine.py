"""Cosines of chosen pairs of vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 8192
"""Pairs whose products are held at once."""


def pair_cosines(
    left: NDArray[np.float32], rows: NDArray[np.integer], right: NDArray[np.float32], columns: NDArray[np.integer]
) -> NDArray[np.float64]:
    """float64[n]: the inner product of left[rows[i]] and right[columns[i]], vectors of length 1.

    Products are exact in float64 and each pair is summed alone, so its bits depend on no other pair.
    """
    result = np.empty(len(rows))
    for first in range(0, len(rows), BLOCK):
        part = slice(first, first + BLOCK)
        result[part] = np.multiply(left[rows[part]], right[columns[part]], dtype=np.float64).sum(axis=1)
    return result
