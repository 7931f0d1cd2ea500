"""Exact search by inner product: float32 products propose, float64 sums decide."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.device import gpus
from harness.core.threads import available, map_threads
from harness.model.encoder import pair_cosines
from harness.work.shared_rows import map_rows

PART = 512
"""Questions of a part, where several processes search."""
MARGIN = 16
"""Candidates proposed beyond the depth, so that the cut is seen to fall between two different
scores.
"""
ROWS = 16
"""Questions whose candidates a thread holds at once."""
Propose = Callable[[NDArray[np.float32], int], tuple[NDArray[np.float32], NDArray[np.int64]]]
"""``propose(questions, k)``: float32 inner products and passage numbers, [Q, k], best first, -1 for
none.
"""


def exact_search(
    passages: NDArray[np.float32], questions: NDArray[np.float32], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k], float64[Q, k]: the best passages of each question, in the one order (see
    ``decide``).

    On all GPUs that torch can use, else on the CPU by FAISS. In parts of ``PART`` questions where
    several processes build an artifact.
    """
    if cards := gpus():
        from harness.retriever.search.exact_torch import Products

        products = Products(passages, cards)
        found = partial(decide, products, passages, depth=depth, exact=True)
    else:
        found = partial(nearest_rows, passages, depth=depth)
    return map_rows("search", lambda part: found(questions=questions[part]), len(questions), PART)


def nearest_rows(
    passages: NDArray[np.float32], questions: NDArray[np.float32], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k] passage numbers and their inner products float64[Q, k], in the one order; k =
    min(depth, D).

    FAISS proposes, on the CPU (see ``decide``).
    """
    import faiss

    knn: Any = faiss.knn  # whose types are PyTorch's
    propose = partial(knn, xb=passages, metric=faiss.METRIC_INNER_PRODUCT)
    return decide(
        lambda asked, width: propose(asked, k=width), passages, questions, depth, exact=True
    )


def decide(
    propose: Propose,
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    depth: int,
    exact: bool,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k], float64[Q, k]: the best of what is proposed, in the one order; k = min(depth,
    D).

    The last bits of what proposes follow the machine's block sizes; the inner product of each
    candidate is then summed in float64 in one fixed order, so that equal passages tie exactly. With
    ``exact`` a row stands only when its last score is above all that was left out by more than
    float32 can err (1.1 d 2^-24 for vectors of length 1); otherwise more candidates are proposed.
    Where fewer than k are found the row ends with -1 and -inf.
    """
    count, dimension = passages.shape
    depth = min(depth, count)
    docs = np.full((len(questions), depth), -1, dtype=np.int64)
    scores = np.full((len(questions), depth), -np.inf)
    error = 1.1 * dimension * 2.0**-24
    pending, width = np.arange(len(questions)), min(depth + MARGIN, count)
    while pending.size and depth:
        rough, found = propose(np.ascontiguousarray(questions[pending]), width)
        fine = cosines(passages, questions[pending], found)
        order = np.lexsort((found, -fine), axis=-1)[:, :depth]
        docs[pending] = np.take_along_axis(found, order, axis=1)
        scores[pending] = np.take_along_axis(fine, order, axis=1)
        if not exact or width == count:
            break
        pending = pending[scores[pending, -1] <= rough[:, -1] + error]
        width = min(2 * width, count)
    return docs, scores


def cosines(
    passages: NDArray[np.float32], questions: NDArray[np.float32], found: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return float64[Q, k], the inner product of each question with its candidates; -inf if a
    candidate is -1.
    """

    def products(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        near, asked = passages[found[rows]], questions[rows]
        sums: NDArray[np.float64] = np.einsum(
            "qkd,qd->qk", near, asked, dtype=np.float64, casting="unsafe"
        )
        return sums

    parts = np.array_split(np.arange(len(found)), max(1, len(found) // ROWS))
    scores = np.concatenate(list(map_threads(products, parts, available())))
    return np.where(found >= 0, scores, -np.inf)


def inner_products(
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    found: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    """float64[n]: <questions[rows[i]], passages[found[i]]>; no other pair and no thread changes a
    bit.
    """
    threads = available()

    def products(pairs: tuple[NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.float64]:
        docs, queries = pairs
        return pair_cosines(passages, docs, questions, queries)

    parts = zip(np.array_split(found, threads), np.array_split(rows, threads), strict=True)
    return np.concatenate(list(map_threads(products, parts, threads)))


def row_products(vectors: NDArray[np.float32], docs: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[Q, m, m]: the inner product of every two different passages of a row of docs [Q, m],
    -1 for none: 0.
    """
    there = docs >= 0
    found = np.zeros((*docs.shape, docs.shape[1]))
    row, one, other = np.nonzero(
        there[:, :, None] & there[:, None, :] & ~np.eye(docs.shape[1], dtype=np.bool_)
    )
    found[row, one, other] = inner_products(vectors, vectors, docs[row, other], docs[row, one])
    return found
