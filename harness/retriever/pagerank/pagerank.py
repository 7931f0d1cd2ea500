"""Personalised PageRank of many queries at once: v <- (1 - a) (T' v + m s) + a s, where a is the
restart probability, s the seeds of a query and m the mass on dangling nodes.

The walk begins with v = 0. Everything is non-negative and no mass is lost, so step k adds exactly
a (1 - a)^(k - 1) to the sum of v: this is its L1 change, the same for every query with seeds. The
number of steps is therefore known before the walk begins, and after the last one v is within
(1 - a) / a x change of the solution (L1).

A step is one product of a sparse matrix and a dense block of queries, by SciPy on the CPU and by
torch on a device. Each query is a column whose sums follow the order of the nodes: its values
depend neither on the block nor on the number of threads. They are rounded to float32 at the end,
so that nodes whose values are equal in exact arithmetic tie.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.core.resources import need_memory
from harness.core.threads import available, map_threads


@dataclass(frozen=True, eq=False)
class Solution:
    """The walks of a block of B queries.

    Args:
        first: number of the first query of the block.
        values: float32[N, B], each query's values contiguous.
        iterations: int64[B].
        change: float64[B], the values are within (1 - a) / a x change of the solution (L1).
    """

    first: int
    values: Float32Array
    iterations: Int64Array
    change: Float64Array


class Walks:
    """Walks over one graph, from any seeds.

    Args:
        transition: [N, N], T[i, j] is the share of i's mass that goes to j. Each row sums to 1, or
            to 0 for a dangling node.
        restart: a, in (0, 1].
        tolerance: L1 change of a step below which a walk ends.
        max_iter: largest number of steps.
        block: number of queries of a matrix product.
        threads: number of blocks at work on the CPU; None for all processors.
        device: ``cpu`` (SciPy) or a torch device.
    """

    def __init__(
        self,
        transition: sp.csr_array,
        restart: float,
        tolerance: float,
        max_iter: int,
        block: int = 16,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        size = transition.shape[0]
        self._threads = (threads or available()) if device == "cpu" else 1
        mend = "set lists.NAME.block=4, or for ppr lists.NAME.push=true"
        at_once = 3 * self._threads + 2
        need_memory(8 * size * block * at_once, f"walks over {size:,} nodes", mend)
        dangling = sp.csr_array((transition.sum(axis=1) == 0)[None, :], dtype=np.float64)
        # the last row adds up the mass on dangling nodes
        whole = sp.vstack([transition.T, dangling], format="csr", dtype=np.float64)
        whole.sort_indices()
        self._matrix = (1 - restart) * whole
        if device != "cpu":
            self._matrix = _to_device(self._matrix, device)
        self._restart, self._block, self._device = restart, block, device
        self._steps, self._change = 1, restart
        while self._change >= tolerance and self._steps < max_iter:
            self._steps += 1
            self._change *= 1 - restart

    def __call__(self, seeds: sp.csr_array) -> Iterator[Solution]:
        """Yield the blocks in query order.

        Args:
            seeds: [Q, N], rows sum to 1. A query without seeds has an empty row, and gets 0
                everywhere.
        """
        seeds = sp.csr_array(seeds, dtype=np.float64)

        def solve(first: int) -> Solution:
            part = seeds[first : first + self._block]
            seeded = np.diff(part.indptr) > 0
            values = self._walk(part.T.tocoo())
            return Solution(first, values, self._steps * seeded, self._change * seeded)

        firsts = range(0, seeds.shape[0], self._block)
        return map_threads(solve, firsts, self._threads)

    def _walk(self, seeds: sp.coo_array) -> Float32Array:
        """Return float32[N, B], the values after all steps. seeds: [N, B]."""
        values: Any
        nodes, queries, shares = seeds.row, seeds.col, seeds.data
        if self._device == "cpu":
            values = np.zeros(seeds.shape)
        else:
            import torch

            values = torch.zeros(seeds.shape, dtype=torch.float64, device=self._device)
            arrays = (nodes.astype(np.int64), queries.astype(np.int64), shares)
            nodes, queries, shares = (torch.from_numpy(one).to(self._device) for one in arrays)
        values[nodes, queries] = self._restart * shares
        for _ in range(1, self._steps):
            moved = self._matrix @ values
            values, returned = moved[:-1], moved[-1] + self._restart
            values[nodes, queries] += returned[queries] * shares
        if self._device != "cpu":  # half the bytes to copy, in the order in which they are read
            values = values.T.float().contiguous().cpu().numpy().T
        return np.ascontiguousarray(values.T, dtype=np.float32).T


def _to_device(matrix: sp.csr_array, device: str) -> Any:
    """Return the matrix as a sparse tensor."""
    import torch

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.from_numpy(matrix.indptr.astype(np.int64)),
            torch.from_numpy(matrix.indices.astype(np.int64)),
            torch.from_numpy(matrix.data),
            size=matrix.shape,
            device=device,
            check_invariants=False,  # without a value torch warns
        )
