"""Exact search by inner product: one matrix product proposes, float64 sums decide."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

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
    import torch

    count, dimension = passages.shape
    depth = min(depth, count)
    docs = np.empty((len(questions), depth), dtype=np.int64)
    scores = np.empty((len(questions), depth))
    if not depth:
        return docs, scores
    error = np.float32(1.1 * dimension * 2.0**-24)
    size = max(1, min(BLOCK, CELLS // count))
    with ThreadPoolExecutor(torch.get_num_threads()) as pool:
        for start in range(0, len(questions), size):
            block = slice(start, min(start + size, len(questions)))
            docs[block], scores[block] = _block(passages, questions[block], depth, error, pool)
    return docs, scores


def _block(
    passages: NDArray[np.float32],
    questions: NDArray[np.float32],
    depth: int,
    error: np.float32,
    pool: ThreadPoolExecutor,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    from harness.retriever.kernel import above, inner_products_of

    rough = questions @ passages.T
    place = rough.shape[1] - depth

    def cut(rows: NDArray[np.intp]) -> NDArray[np.float32]:
        least: NDArray[np.float32] = np.partition(rough[rows], place, axis=1)[:, place]
        return least

    workers = pool._max_workers
    parts = [rows for rows in np.array_split(np.arange(len(questions)), workers) if rows.size]
    least = np.concatenate(list(pool.map(cut, parts))) - 2 * error
    rows, found, width = above(rough, least)
    order = np.lexsort((found, rows // NEAR))
    values = np.empty(len(found))
    jobs = [
        pool.submit(inner_products_of, passages, questions, found, rows, part, values)
        for part in np.array_split(order, workers)
    ]
    for job in jobs:
        job.result()
    starts = np.searchsorted(rows, np.arange(len(questions)))
    at = np.arange(len(found)) - starts[rows]
    candidates = np.full((len(questions), width), -1, dtype=np.int64)
    fine = np.full((len(questions), width), -np.inf)
    candidates[rows, at], fine[rows, at] = found, values
    best = np.lexsort((candidates, -fine), axis=-1)[:, :depth]
    return np.take_along_axis(candidates, best, axis=1), np.take_along_axis(fine, best, axis=1)
