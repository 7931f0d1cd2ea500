"""Vector stores: where the vectors lie that a question's nearest ones are asked of.

A store is a frozen dataclass that opens some vectors of length 1. It proposes; the scores are
always the same float64 inner products, in the one order, so that all stores that find the same
vectors give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

MARGIN = 16
"""Candidates asked for beyond the depth, so that rounding does not decide who is in."""

Search = Callable[[NDArray[np.float32], int], tuple[NDArray[np.int64], NDArray[np.float64]]]
"""Questions [Q, d] and a depth to int64[Q, k] numbers and float64[Q, k] inner products, k =
min(depth, N).
"""


@runtime_checkable
class Vectorstore(Protocol):
    """A strategy that holds vectors."""

    def open(self, vectors: NDArray[np.float32]) -> AbstractContextManager[Search]:
        """Load float32[N, d]; the block's value searches them."""
        ...


def rank_candidates(
    vectors: NDArray[np.float32],
    questions: NDArray[np.float32],
    depth: int,
    propose: Callable[[NDArray[np.float32], int], Sequence[int]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k], float64[Q, k]: what a store proposes in the one order, ``depth`` of it; -1 for
    none.

    propose: of a question's vector, so many numbers of vectors that are near.
    """
    from harness.retriever.search import cosines

    depth = min(depth, len(vectors))
    width = min(depth + MARGIN, len(vectors))
    found = np.full((len(questions), width), -1, dtype=np.int64)
    for row, question in enumerate(questions):
        near = propose(question, width)
        found[row, : len(near)] = near
    scores = cosines(vectors, questions, found)
    order = np.lexsort((found, -scores), axis=-1)[:, :depth]
    return np.take_along_axis(found, order, axis=1), np.take_along_axis(scores, order, axis=1)
