"""The inner loop of paths."""

from __future__ import annotations

from typing import Any

import numba
from numpy.typing import NDArray

from harness.core.arrays import Float64Array


@numba.njit(cache=True, nogil=True)
def chains(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    toll: Float64Array,
    starts: NDArray[Any],
    seeds: NDArray[Any],
    steps: int,
    values: Float64Array,
) -> None:
    """Set values[q, e] to the greatest toll of chains to e: toll of the left nodes / (1 + edges).

    Chains have up to ``steps`` (0, 1 or 2) edges and begin at question q's seeds
    ``seeds[starts[q]:starts[q + 1]]``. Greater values are kept.
    """
    for row in range(values.shape[0]):
        for seed in seeds[starts[row] : starts[row + 1]]:
            values[row, seed] = 1.0
            if steps < 1:
                continue
            for middle in indices[indptr[seed] : indptr[seed + 1]]:
                values[row, middle] = max(values[row, middle], toll[seed] / 2)
                if steps < 2:
                    continue
                far = toll[seed] * toll[middle] / 3
                for other in indices[indptr[middle] : indptr[middle + 1]]:
                    values[row, other] = max(values[row, other], far)
