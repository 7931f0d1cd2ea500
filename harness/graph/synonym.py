"""Synonyms: names whose embeddings point the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

SLACK = 1e-4
"""How far below the threshold float32 candidates are looked at again in float64: more than float32 can err."""


def synonyms(vectors: NDArray[np.float32], threshold: float, block: int = 1024) -> sp.csr_array:
    """[E, E], symmetric: the cosine of each two different rows where it is >= threshold, and > 0.

    Candidates come from float32 products, block by block; each one's cosine is summed again in float64 in one order, so
    that neither the block nor the machine's number of threads moves an edge over the threshold.
    """
    size = len(vectors)
    rows: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    values: list[NDArray[np.float64]] = []
    for first in range(0, size, block):
        near = vectors[first : first + block] @ vectors[first:].T >= threshold - SLACK
        i, j = np.nonzero(np.triu(near, k=1))
        exact = cosine(vectors, first + i, first + j)
        keep = (exact >= threshold) & (exact > 0)
        rows.append(first + i[keep])
        columns.append(first + j[keep])
        values.append(exact[keep])
    entries = (np.concatenate([*values, []]), (_joined(rows), _joined(columns)))
    upper = sp.csr_array(sp.coo_array(entries, shape=(size, size), dtype=np.float32))
    both = sp.csr_array(upper + upper.T)
    both.sort_indices()
    return both


def cosine(
    vectors: NDArray[np.float32], rows: NDArray[Any], columns: NDArray[Any], block: int = 8192
) -> NDArray[np.float64]:
    """float64[N]: the products of pairs of rows of length 1, each summed alone."""
    result = np.empty(len(rows))
    for first in range(0, len(rows), block):
        part = slice(first, first + block)
        result[part] = np.multiply(vectors[rows[part]], vectors[columns[part]], dtype=np.float64).sum(axis=1)
    return result


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([*parts, np.empty(0, np.int64)])
