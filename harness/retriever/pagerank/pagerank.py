"""Personalised PageRank of many queries at once: v <- (1 - a) (T' v + m s) + a s, m the mass on dangling nodes.

Solved as the linear system x = M x + a s, M = (1 - a) T', whose x / sum(x) is v (as PRPACK does; Gleich, PageRank
beyond the Web, 2015): nodes of few neighbours are eliminated exactly (``elimination``), the core that is left is swept
in place (Gauss-Seidel), sixteen queries at a time, and scaled after each sweep so that what leaves it is what comes in.

When it stops: after a sweep that changed x by d, the residual is U d with U the part of the core's M above the
diagonal, so the error of x is at most |U d| / a and that of v at most 2 |U d| / (a sum(x)), in L1 (columns of M sum to
1 - a at most; eliminated nodes add none). ``change`` is 2 |U d| / ((1 - a) sum(x)), with |U d| bounded by the sum of
|d_j| times the column sums of U: v is within (1 - a) / a x ``change`` of the solution, which is what an L1 change of
that size between two steps of the walk itself guarantees.

Every query is computed as if it were alone, its sums over the nodes in their order, and keeps the values of the sweep
in which its own change fell below the tolerance: the result depends neither on the block nor on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.resources import need_memory
from harness.core.threads import available, map_threads
from harness.retriever.pagerank.elimination import System, eliminate

Float32 = NDArray[np.float32]
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class Solution:
    """A block's answer: the first of its B queries, values float32[N, B] (each query's contiguous), sweeps int64[B].

    change: float64[B], the values are within (1 - a) / a x change of the solution (L1).
    """

    first: int
    values: Float32
    iterations: NDArray[np.int64]
    change: NDArray[np.float64]


class Walks:
    """Walks over one graph, from any seeds: what follows from the graph alone is computed once.

    transition: [N, N], T[i, j] the share of i's mass that goes to j; each row sums to 1, or to 0 for a dangling node.
    device: ``cpu`` (numba, threads over blocks) or a torch device.
    """

    def __init__(
        self,
        transition: sp.csr_array,
        restart: float,
        tolerance: float,
        max_iter: int,
        block: int = 64,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self._matrix = sp.csr_array(((1 - restart) * transition).T, dtype=np.float64)
        self._restart, self._device, self._threads = restart, device, threads
        self._tolerance, self._max_iter, self._block = tolerance, max_iter, block
        at_once, size = threads or available(), transition.shape[0]
        mend = "set lists.NAME.block=16, or for ppr lists.NAME.push=true"
        need_memory(4 * size * (16 * at_once + block * (at_once + 2)), f"walks over {size:,} nodes", mend)

    def __call__(self, seeds: sp.csr_array) -> Iterator[Solution]:
        """The blocks in query order.

        seeds: [Q, N], rows sum to 1 (a query without seeds has an empty row, and gets 0 everywhere).
        """
        seeds = sp.csr_array(seeds)
        firsts = range(0, seeds.shape[0], self._block)
        return self._by_torch(seeds, firsts) if self._device != "cpu" else self._by_numba(seeds, firsts)

    @cached_property
    def _torch(self) -> Any:
        from harness.retriever.pagerank.pagerank_torch import TorchWalk

        return TorchWalk(self._matrix, self._restart, self._device)

    @cached_property
    def _plan(self) -> Any:
        return _plan(eliminate(self._matrix), self._restart)

    def _by_torch(self, seeds: sp.csr_array, firsts: range) -> Iterator[Solution]:
        for first in firsts:
            part = seeds[first : first + self._block]
            yield Solution(first, *self._torch(part, self._tolerance, self._max_iter))

    def _by_numba(self, seeds: sp.csr_array, firsts: range) -> Iterator[Solution]:
        from harness.retriever.pagerank.pagerank_kernel import COUNT, walk

        plan, size = self._plan, self._matrix.shape[0]
        bounds, nodes = seeds.indptr.astype(np.int64), seeds.indices.astype(np.int64)
        shares = (self._restart * seeds.data).astype(np.float32)

        def one(first: int) -> Solution:
            count = min(self._block, seeds.shape[0] - first)
            out = np.empty((count, size), dtype=np.float32)
            steps, change = np.zeros(count, dtype=np.int64), np.zeros(count)
            values = np.empty((size, COUNT), dtype=np.float32)
            right = np.empty((len(plan.upper), COUNT), dtype=np.float32)
            for lane in range(0, count, COUNT):
                part = slice(lane, min(lane + COUNT, count))
                own = bounds[first + part.start : first + part.stop + 1]
                walk(
                    plan, own, nodes, shares, self._tolerance, self._max_iter, values, right,
                    out[part], steps[part], change[part],
                )  # fmt: skip
            return Solution(first, out.T, steps, change)

        return map_threads(one, firsts, self._threads or available())


def _plan(system: System, restart: float) -> Any:
    from harness.retriever.pagerank.pagerank_kernel import Matrix, SolverArrays

    def matrix(given: sp.csr_array) -> Matrix:
        return Matrix(given.indptr.astype(np.int64), given.indices.astype(np.int32), given.data.astype(np.float32))

    core, place = system.core, np.empty_like(system.order)
    place[system.order] = np.arange(len(place))
    rows = np.repeat(np.arange(core.shape[0]), np.diff(core.indptr))
    above = core.indices > rows
    upper = np.bincount(core.indices[above], core.data[above], core.shape[0]) * (2 / max(1 - restart, TINY))
    return SolverArrays(
        place=place,
        forward=matrix(system.forward),
        core=matrix(core),
        back=matrix(system.back),
        scale=system.scale.astype(np.float32),
        loss=system.loss,
        mass=system.mass,
        upper=upper.astype(np.float32),
    )
