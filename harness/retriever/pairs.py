"""Scored (question, passage) pairs over all questions: a pair is the number q D + p."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Pairs = NDArray[np.int64]
Values = NDArray[np.float64]


def greatest(pairs: Pairs, values: Values) -> tuple[Pairs, Values]:
    """Each distinct pair, ascending, with the greatest of its values."""
    order = np.argsort(pairs, kind="stable")
    pairs, values = pairs[order], values[order]
    first = np.flatnonzero(np.diff(pairs, prepend=-1))
    return pairs[first], np.maximum.reduceat(values, first) if len(first) else values


def spread(pairs: Pairs, values: Values, edges: sp.csr_array) -> tuple[Pairs, Values]:
    """Every pair's value carried along the edges [D, D] of its passage."""
    size = edges.shape[0]
    questions, passages = np.divmod(pairs, size)
    count = np.diff(edges.indptr).astype(np.int64)[passages]
    ends = np.cumsum(count)
    total = int(ends[-1]) if len(ends) else 0
    places = np.repeat(edges.indptr[passages] - (ends - count), count) + np.arange(total)
    return np.repeat(questions * size, count) + edges.indices[places], np.repeat(values, count)


def cosines(passages: NDArray[np.float32], questions: NDArray[np.float32], pairs: Pairs, block: int = 8192) -> Values:
    """float64: the inner products of the pairs' vectors, each summed alone, so that no neighbour changes it."""
    rows, docs = np.divmod(pairs, len(passages))
    result = np.empty(len(pairs))
    for first in range(0, len(pairs), block):
        part = slice(first, first + block)
        result[part] = np.multiply(questions[rows[part]], passages[docs[part]], dtype=np.float64).sum(axis=1)
    return result
