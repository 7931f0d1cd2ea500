"""Exact search by inner product: float32 products propose candidates, float64 sums decide."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.core.device import gpus
from harness.core.threads import available, map_threads
from harness.model.encoder import pair_cosines
from harness.work.shared_rows import map_rows

PART = 512
"""Number of questions of a part, if several processes search."""
MARGIN = 16
"""Number of candidates beyond the depth, so that the last score can be seen to differ from the
next.
"""
ROWS = 16
"""Number of questions in a job of a thread."""
Propose = Callable[[Float32Array, int], tuple[Float32Array, Int64Array]]
"""A function ``propose(questions, k)`` that returns float32 inner products and passage numbers, [Q,
k], best first, -1 for none.
"""


def exact_search(
    passages: Float32Array, questions: Float32Array, depth: int
) -> tuple[Int64Array, Float64Array]:
    """Return int64[Q, k], float64[Q, k], the best passages of each question, best first (see
    ``decide``).

    The search runs on all GPUs that torch can use, otherwise on the CPU by FAISS. If several
    processes build an artifact, it is done in parts of ``PART`` questions.
    """
    if cards := gpus():
        from harness.retriever.search.exact_torch import Products

        products = Products(passages, cards)
        search = partial(decide, products, passages, depth=depth, exact=True)
    else:
        search = partial(nearest_rows, passages, depth=depth)
    return map_rows("search", lambda part: search(questions=questions[part]), len(questions), PART)


def nearest_rows(
    passages: Float32Array, questions: Float32Array, depth: int
) -> tuple[Int64Array, Float64Array]:
    """Return int64[Q, k], passage numbers, and float64[Q, k], their inner products, best first; k =
    min(depth, D).

    FAISS proposes candidates on the CPU (see ``decide``).
    """
    import faiss

    knn: Any = faiss.knn  # whose types are PyTorch's
    propose = partial(knn, xb=passages, metric=faiss.METRIC_INNER_PRODUCT)
    return decide(
        lambda asked, width: propose(asked, k=width), passages, questions, depth, exact=True
    )


def decide(
    propose: Propose,
    passages: Float32Array,
    questions: Float32Array,
    depth: int,
    exact: bool,
) -> tuple[Int64Array, Float64Array]:
    """Return int64[Q, k], float64[Q, k], the best of the proposed candidates, best first; k =
    min(depth, D).

    The last bits of proposed scores depend on the machine's block sizes. So the inner product of
    each candidate is summed in float64 in one fixed order, and equal passages tie exactly. With
    ``exact`` a row is accepted only if its last score exceeds all that was left out by more than
    the error of float32 (1.1 d 2^-24 for vectors of length 1). Otherwise more candidates are
    proposed. A row with fewer than k passages ends with -1 and -inf.
    """
    count, dimension = passages.shape
    depth = min(depth, count)
    docs = np.full((len(questions), depth), -1, dtype=np.int64)
    scores = np.full((len(questions), depth), -np.inf)
    error = 1.1 * dimension * 2.0**-24
    pending, width = np.arange(len(questions)), min(depth + MARGIN, count)
    while pending.size and depth:
        rough, candidates = propose(np.ascontiguousarray(questions[pending]), width)
        fine = cosines(passages, questions[pending], candidates)
        order = np.lexsort((candidates, -fine), axis=-1)[:, :depth]
        docs[pending] = np.take_along_axis(candidates, order, axis=1)
        scores[pending] = np.take_along_axis(fine, order, axis=1)
        if not exact or width == count:
            break
        pending = pending[scores[pending, -1] <= rough[:, -1] + error]
        width = min(2 * width, count)
    return docs, scores


def cosines(
    passages: Float32Array, questions: Float32Array, candidates: Int64Array
) -> Float64Array:
    """Return float64[Q, k], the inner product of each question with its candidates; -inf for
    candidate -1.
    """

    def products(rows: Int64Array) -> Float64Array:
        sums = np.empty((len(rows), candidates.shape[1]))
        for row, row_sums in zip(rows, sums, strict=True):  # a row's passages fit the cache
            near = passages[candidates[row]]
            np.einsum(
                "kd,d->k", near, questions[row], out=row_sums, dtype=np.float64, casting="unsafe"
            )
        return sums

    parts = np.array_split(np.arange(len(candidates)), max(1, len(candidates) // ROWS))
    scores = np.concatenate(list(map_threads(products, parts, available())))
    return np.where(candidates >= 0, scores, -np.inf)


def inner_products(
    passages: Float32Array,
    questions: Float32Array,
    docs: Int64Array,
    rows: Int64Array,
) -> Float64Array:
    """Return float64[n], <questions[rows[i]], passages[docs[i]]>. Neither other pairs nor threads
    change a bit.
    """
    threads = available()

    def products(pairs: tuple[Int64Array, Int64Array]) -> Float64Array:
        part_docs, part_rows = pairs
        return pair_cosines(passages, part_docs, questions, part_rows)

    parts = zip(np.array_split(docs, threads), np.array_split(rows, threads), strict=True)
    return np.concatenate(list(map_threads(products, parts, threads)))


def row_products(vectors: Float32Array, docs: Int64Array) -> Float64Array:
    """Return float64[Q, m, m], the inner product of two different passages in each row of docs [Q,
    m]; 0 for document -1.
    """
    is_document = docs >= 0
    result = np.zeros((*docs.shape, docs.shape[1]))
    row, one, other = np.nonzero(
        is_document[:, :, None] & is_document[:, None, :] & ~np.eye(docs.shape[1], dtype=np.bool_)
    )
    result[row, one, other] = inner_products(vectors, vectors, docs[row, other], docs[row, one])
    return result
