"""Scored (question, passage) pairs over all questions. A pair is the number q D + p."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.model.encoder import pair_cosines

Pairs = Int64Array
Values = Float64Array


def keep_greatest(pairs: Pairs, values: Values) -> tuple[Pairs, Values]:
    """Return each distinct pair, ascending, with the greatest of its values."""
    order = np.argsort(pairs, kind="stable")
    pairs, values = pairs[order], values[order]
    first = np.flatnonzero(np.diff(pairs, prepend=-1))
    return pairs[first], np.maximum.reduceat(values, first) if len(first) else values


def follow_edges(pairs: Pairs, values: Values, edges: sp.csr_array) -> tuple[Pairs, Values]:
    """Return every pair's value carried along the edges [D, D] of its passage."""
    size = edges.shape[0]
    questions, passages = np.divmod(pairs, size)
    count = np.diff(edges.indptr).astype(np.int64)[passages]
    places = expand_ranges(edges.indptr[passages], count)
    return np.repeat(questions * size, count) + edges.indices[places], np.repeat(values, count)


def expand_ranges(starts: NDArray[np.integer], counts: Int64Array) -> Int64Array:
    """Return int64[sum of counts]: ``counts[i]`` numbers from ``starts[i]`` on, for each i."""
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts), counts) + np.arange(counts.sum())


def cosines(passages: Float32Array, questions: Float32Array, pairs: Pairs) -> Values:
    """Return float64[n], the cosine of each pair's question and passage."""
    rows, docs = np.divmod(pairs, len(passages))
    return pair_cosines(questions, rows, passages, docs)
