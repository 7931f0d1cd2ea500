"""Personalised PageRank of many queries at once: v <- (1 - a) (T' v + m s) + a s, m the mass on dangling nodes.

A block holds about 64 queries as the columns of a float32 matrix, so one pass over the edges serves all of them. Every
column is computed as if it were alone (its sums run over the nodes in their order) and keeps the values of the step in
which its own L1 change fell below the tolerance: the result depends neither on the block nor on the number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.threads import available, each

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Solution:
    """A block's answer: the first of its B queries, values float32[N, B], iterations int64[B], L1 change float64[B]."""

    first: int
    values: Float32
    iterations: NDArray[np.int64]
    change: NDArray[np.float64]


def solve(
    transition: sp.csr_array,
    seeds: sp.csr_array,
    restart: float,
    tolerance: float,
    max_iter: int,
    *,
    block: int = 64,
    threads: int | None = None,
    device: str = "cpu",
) -> Iterator[Solution]:
    """The blocks in query order.

    transition: [N, N], T[i, j] the share of i's mass that goes to j; each row sums to 1, or to 0 for a dangling node.
    seeds: [Q, N], rows sum to 1 (a query without seeds has an empty row, and gets 0 everywhere).
    device: ``cpu`` (numba, threads over blocks) or a torch device.
    """
    backward = sp.csr_array(transition.T, dtype=np.float32)
    backward.sort_indices()
    dangling = np.diff(transition.indptr) == 0
    advance = _numba(backward, dangling, restart) if device == "cpu" else _torch(backward, dangling, restart, device)
    firsts = range(0, seeds.shape[0], block)

    def one(first: int) -> Solution:
        start = np.ascontiguousarray(seeds[first : first + block].toarray().T, dtype=np.float32)
        return Solution(first, *_iterate(advance, start, tolerance, max_iter))

    yield from each(one, firsts, 1 if device != "cpu" else threads or available())


Advance = Callable[[Float32, Float32], tuple[Float32, NDArray[np.float64]]]


def _iterate(
    advance: Advance, seeds: Float32, tolerance: float, max_iter: int
) -> tuple[Float32, NDArray[np.int64], NDArray[np.float64]]:
    """Steps until every column has converged; columns that have are left out once they are half of the block."""
    values, result = seeds, seeds.copy()
    active = np.arange(seeds.shape[1])
    iterations = np.zeros(len(active), dtype=np.int64)
    changes = np.zeros(len(active))
    open_ = np.ones(len(active), dtype=bool)
    for step in range(1, max_iter + 1):
        values, change = advance(values, seeds)
        ended = open_[active] & ((change < tolerance) | (step == max_iter))
        columns = active[ended]
        result[:, columns] = values[:, ended]
        iterations[columns], changes[columns] = step, change[ended]
        open_[columns] = False
        if not open_.any():
            break
        if 2 * open_[active].sum() <= len(active):
            keep = open_[active]
            active = active[keep]
            values, seeds = np.ascontiguousarray(values[:, keep]), np.ascontiguousarray(seeds[:, keep])
    return result, iterations, changes


def _numba(backward: sp.csr_array, dangling: NDArray[np.bool_], restart: float) -> Advance:
    step, first = _kernel(False), _kernel(True)
    indptr, indices, data = backward.indptr.astype(np.int64), backward.indices.astype(np.int64), backward.data
    lost = np.flatnonzero(dangling)

    def advance(values: Float32, seeds: Float32) -> tuple[Float32, NDArray[np.float64]]:
        out, change = np.empty_like(values), np.zeros(values.shape[1])
        walk = np.float32(1 - restart)
        (first if values is seeds else step)(
            indptr, indices, data, lost, values, seeds, walk, np.float32(restart), out, change
        )
        return out, change

    return advance


@functools.cache
def _kernel(sparse: bool) -> Any:
    """The step, compiled when first used; without fast-math, so its sums keep their order.

    sparse: nodes without mass are passed over, which changes no bit. It pays for the first step alone.
    """
    import numba

    @numba.njit(nogil=True)
    def step(indptr, indices, data, lost, values, seeds, walk, restart, out, change):  # type: ignore[no-untyped-def]
        nodes, columns = values.shape
        held = np.ones(nodes, dtype=np.bool_)
        if sparse:
            for i in range(nodes):
                held[i] = values[i].any()
        back = np.zeros(columns, dtype=np.float64)
        for i in lost:
            for j in range(columns):
                back[j] += values[i, j]
        share = np.empty(columns, dtype=np.float32)
        for j in range(columns):
            share[j] = restart + walk * np.float32(back[j])
        for i in range(nodes):
            row = out[i]
            row[:] = 0
            for k in range(indptr[i], indptr[i + 1]):
                if sparse and not held[indices[k]]:
                    continue
                weight, source = data[k], values[indices[k]]
                for j in range(columns):
                    row[j] += weight * source[j]
            for j in range(columns):
                row[j] = walk * row[j] + share[j] * seeds[i, j]
                change[j] += abs(row[j] - values[i, j])

    return step


def _torch(backward: sp.csr_array, dangling: NDArray[np.bool_], restart: float, device: str) -> Advance:
    import torch

    matrix = torch.sparse_csr_tensor(
        torch.from_numpy(backward.indptr.astype(np.int64)),
        torch.from_numpy(backward.indices.astype(np.int64)),
        torch.from_numpy(backward.data),
        size=backward.shape,
        device=device,
    )
    lost = torch.from_numpy(np.flatnonzero(dangling)).to(device)

    def advance(values: Float32, seeds: Float32) -> tuple[Float32, NDArray[np.float64]]:
        old, restarts = torch.from_numpy(values).to(device), torch.from_numpy(seeds).to(device)
        back = old[lost].sum(dim=0, dtype=torch.float64).float()
        new = (1 - restart) * (matrix @ old) + (restart + (1 - restart) * back) * restarts
        return new.cpu().numpy(), (new - old).abs().sum(dim=0, dtype=torch.float64).cpu().numpy()

    return advance
