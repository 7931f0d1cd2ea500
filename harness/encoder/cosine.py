"""All cosines of two sets of vectors, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

ROWS = 256
COLUMNS = 4096


def cosine_blocks(left: NDArray[np.float32], right: NDArray[np.float32]) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """For consecutive rows of ``left`` [m, d]: which they are, and their cosines with all of ``right``, float32[r, n].

    Vectors have length 1. Tiles are fixed and each is multiplied by one thread, so that the bits do not depend on how
    many threads there are.
    """
    import torch
    from threadpoolctl import threadpool_limits

    def multiply(first: int) -> None:
        columns = slice(first, first + COLUMNS)
        np.matmul(left[rows], right[columns].T, out=block[:, columns])

    with ThreadPoolExecutor(torch.get_num_threads()) as pool:
        for start in range(0, len(left), ROWS):
            rows = slice(start, min(start + ROWS, len(left)))
            block = np.empty((rows.stop - start, len(right)), dtype=np.float32)
            with threadpool_limits(1, "blas"):
                list(pool.map(multiply, range(0, len(right), COLUMNS)))
            yield rows, block
