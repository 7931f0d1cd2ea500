"""Vector stores, which find a question's nearest vectors.

A store is a frozen dataclass that opens vectors of length 1. It proposes candidates; the scores are
always the same float64 inner products in the one order, so all stores that find the same vectors
give identical results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

import numpy as np

from harness.core.arrays import Float32Array, Float64Array, Int64Array

MARGIN = 16
"""Number of candidates beyond the depth, so that rounding does not decide which are in."""

Search = Callable[[Float32Array, int], tuple[Int64Array, Float64Array]]
"""From questions [Q, d] and a depth to numbers int64[Q, k] and inner products float64[Q, k], with k
= min(depth, N).
"""


@runtime_checkable
class Vectorstore(Protocol):
    """A strategy that holds vectors."""

    def open(self, vectors: Float32Array) -> AbstractContextManager[Search]:
        """Load float32[N, d]; the context's value searches them."""
        ...


def rank_candidates(
    vectors: Float32Array,
    questions: Float32Array,
    depth: int,
    propose: Callable[[Float32Array, int], Sequence[int]],
) -> tuple[Int64Array, Float64Array]:
    """Return a store's candidates in the one order, up to ``depth``.

    Args:
        vectors: float32[N, d].
        questions: float32[Q, d].
        depth: largest number of candidates.
        propose: returns, for a question's vector, a number of near vectors.

    Returns:
        Numbers int64[Q, k], -1 for none, and scores float64[Q, k].
    """
    from harness.retriever.search.exact import cosines

    depth = min(depth, len(vectors))
    width = min(depth + MARGIN, len(vectors))
    candidates = np.full((len(questions), width), -1, dtype=np.int64)
    for row, question in enumerate(questions):
        near = propose(question, width)
        candidates[row, : len(near)] = near
    scores = cosines(vectors, questions, candidates)
    order = np.lexsort((candidates, -scores), axis=-1)[:, :depth]
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(scores, order, axis=1)
