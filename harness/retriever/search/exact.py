"""Exact search by inner product: one matrix product proposes, float64 sums decide."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.core.threads import available, map_threads

BLOCK = 1024
"""Questions at once, so that the matrix product reads the passages once for many of them."""
CELLS = 1 << 26
"""Inner products at once: 256 MiB of float32."""
NEAR = 256
"""Questions whose vectors stay in the processor's cache while every passage is read once for all of them."""


def nearest_rows(
    passages: NDArray[np.float32], questions: NDArray[np.float32], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """int64[Q, k] passage numbers and their inner products float64[Q, k], in the one order; k = min(depth, D).

    The float32 product errs by at most e = 1.1 d 2^-24 for vectors of length 1. So every passage that may belong to
    the best k has a rough score of at least the k-th rough score - 2 e; those, and no others, are summed again in
    float64, in one order that follows from d alone: no neighbour, block or thread changes a bit, equal passages tie.
    """
    count, dimension = passages.shape
    depth = min(depth, count)
    docs = np.empty((len(questions), depth), dtype=np.int64)
    scores = np.empty((len(questions), depth))
    if not depth:
        return docs, scores
    margin = np.float32(2.2 * dimension * 2.0**-24)
    size, threads = max(1, min(BLOCK, CELLS // count)), available()
    products = np.empty((min(size, len(questions)), count), dtype=np.float32)
    for start in range(0, len(questions), size):
        block = questions[start : start + size]
        rough, share = products[: len(block)], -(-len(block) // threads)
        _multiply(block, passages, rough, threads)

        def best(first: int, start: int = start, rough: NDArray[np.float32] = rough, share: int = share) -> None:
            for near in range(first, min(first + share, len(rough)), NEAR):
                rows = slice(near, min(near + NEAR, first + share, len(rough)))
                place = slice(start + rows.start, start + rows.stop)
                docs[place], scores[place] = _best(passages, questions[place], rough[rows], depth, margin)

        for _ in map_threads(best, range(0, len(block), share), threads):
            pass
    return docs, scores


def inner_products(
    passages: NDArray[np.float32], questions: NDArray[np.float32], found: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[n]: <questions[rows[i]], passages[found[i]]>; no other pair and no thread changes a bit."""
    from harness.retriever.search.exact_kernel import sum_products

    values, threads = np.empty(len(rows)), available()

    def part(pairs: NDArray[np.int64]) -> None:
        sum_products(passages, questions, found, rows, pairs, values)

    for _ in map_threads(part, np.array_split(np.arange(len(rows)), threads), threads):
        pass
    return values


def row_products(vectors: NDArray[np.float32], docs: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64[Q, m, m]: the inner product of every two different passages of a row of docs [Q, m], -1 for none: 0."""
    there = docs >= 0
    found = np.zeros((*docs.shape, docs.shape[1]))
    row, one, other = np.nonzero(there[:, :, None] & there[:, None, :] & ~np.eye(docs.shape[1], dtype=np.bool_))
    found[row, one, other] = inner_products(vectors, vectors, docs[row, other], docs[row, one])
    return found


def _multiply(
    questions: NDArray[np.float32], passages: NDArray[np.float32], rough: NDArray[np.float32], threads: int
) -> None:
    """rough[Q, D] = questions x passages', each thread its passages.

    BLAS's own threads would go on turning for a while when they are done, where the next step wants to run.
    """
    share = -(-len(passages) // threads)

    def part(first: int) -> None:
        np.matmul(questions, passages[first : first + share].T, out=rough[:, first : first + share])

    with _blas().limit(limits=1, user_api="blas"):
        for _ in map_threads(part, range(0, len(passages), share), threads):
            pass


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _best(
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    rough: NDArray[np.float32],
    depth: int,
    margin: np.float32,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    from harness.retriever.search.exact_kernel import by_passage, candidates, settle, sum_products

    found, indptr = candidates(rough, depth, margin)
    lengths = np.diff(indptr)
    rows = np.repeat(np.arange(len(questions)), lengths)
    values = np.empty(len(found))
    sum_products(passages, questions, found, rows, by_passage(found, len(passages)), values)
    held = np.arange(lengths.max()) < lengths[:, None]
    docs, fine = np.full(held.shape, -1, dtype=np.int64), np.full(held.shape, np.inf)
    docs[held], fine[held] = found, -values
    order = np.argsort(fine, axis=1)
    ordered = np.take_along_axis(fine, order, axis=1)
    settle(ordered, order)  # a row's candidates ascend
    return np.take_along_axis(docs, order[:, :depth], axis=1), -ordered[:, :depth]
