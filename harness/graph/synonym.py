"""Synonyms: pairs of names whose embeddings have a large cosine."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.core.threads import available, map_threads
from harness.model.encoder import pair_cosines
from harness.work.shared_rows import Columns, map_rows

SLACK = 1e-4
"""How far a float32 bound may be below the threshold: more than the error of float32."""
AXES = 96
"""Number of principal axes for the first bound of a pair."""
COLUMNS = 2048
"""Number of names that a block of names is compared with at once, so that the bounds fit into the
processor's cache.
"""

PART = 4096
"""Number of names that a part compares with all later ones, if several processes work. It is a
multiple of the block.
"""

Pairs = tuple[Int64Array, Int64Array]
NOBODY: Pairs = (np.empty(0, np.int64), np.empty(0, np.int64))


def synonyms(vectors: Float32Array, threshold: float, block: int = 512) -> sp.csr_array:
    """Return [E, E], symmetric: the cosine of two different rows if it is at least ``threshold``
    and above 0.

    All E^2 / 2 pairs are bounded, block by block: <x, y> <= <Px, Py> + |x - Px| |y - Py| (Cauchy
    and Schwarz), with the projection P on ``AXES`` principal axes, by one float32 product of
    ``bounds``. Pairs that pass are summed in float64 in one order. So no edge is missed, and
    neither the block nor the number of threads moves a pair over the threshold.
    """
    from threadpoolctl import threadpool_limits

    size = len(vectors)
    short = bounds(vectors)
    least = np.float32(threshold - SLACK)

    def candidates(first: int) -> Pairs:
        ones, lines, columns = slice(first, min(first + block, size)), [], []
        for start in range(first, size, COLUMNS):
            others = slice(start, start + COLUMNS)
            i, j = np.nonzero(short[ones] @ short[others].T >= least)
            later = start + j > first + i
            lines.append(first + i[later])
            columns.append(start + j[later])
        return np.concatenate(lines), np.concatenate(columns)

    def compared(part: slice) -> Columns:
        with threadpool_limits(1):
            blocks = list(map_threads(candidates, range(part.start, part.stop, block), available()))
        i, j = (np.concatenate(column) for column in zip(NOBODY, *blocks, strict=True))
        exact = pair_cosines(vectors, i, vectors, j)
        near = exact >= threshold
        return i[near], j[near], exact[near]

    i, j, exact = map_rows("compare names", compared, size, PART)
    return symmetric(i, j, exact, threshold, size)


def symmetric(
    i: Int64Array,
    j: Int64Array,
    exact: Float64Array,
    threshold: float,
    size: int,
) -> sp.csr_array:
    """Return float32[E, E] of pairs i < j, each given once, that reach the threshold and exceed 0,
    in both directions.
    """
    keep = (exact >= threshold) & (exact > 0)
    upper = sp.csr_array(
        sp.coo_array((exact[keep], (i[keep], j[keep])), shape=(size, size), dtype=np.float32)
    )
    both = upper + upper.T
    both.sort_indices()
    return both


def bounds(vectors: Float32Array, block: int = 8192) -> Float32Array:
    """Return float32[E, A + 1]: each row on A = min(d, ``AXES``) principal axes, and the length of
    its rest.

    The product of two such rows is at least that of the vectors, except for rounding (less than
    1e-5 for length 1).
    """
    _, axes = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    axes = np.ascontiguousarray(axes[:, -AXES:])
    result = np.empty((len(vectors), axes.shape[1] + 1), dtype=np.float32)
    for first in range(0, len(vectors), block):
        wide = vectors[first : first + block].astype(np.float64)
        on_axes = wide @ axes
        left = (wide * wide).sum(axis=1) - (on_axes * on_axes).sum(axis=1)
        result[first : first + block, :-1] = on_axes
        result[first : first + block, -1] = np.sqrt(np.maximum(left, 0))
    return result
