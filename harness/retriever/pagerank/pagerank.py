"""Personalised PageRank of many queries at once: v <- (1 - a) (T' v + m s) + a s, m the mass on
dangling nodes.

Solved as the linear system x = M x + a s, M = (1 - a) T', whose x / sum(x) is v (as PRPACK does;
Gleich, PageRank beyond the Web, 2015): nodes of few neighbours are eliminated exactly
(``eliminate``), the core that is left is swept in place (Gauss-Seidel), sixteen queries at a time,
and scaled after each sweep so that what leaves it is what comes in.

When it stops: after a sweep that changed x by d, the residual is U d with U the part of the core's
M above the diagonal, so the error of x is at most |U d| / a and that of v at most 2 |U d| / (a
sum(x)), in L1 (columns of M sum to 1 - a at most; eliminated nodes add none). ``change`` is 2 |U d|
/ ((1 - a) sum(x)), with |U d| bounded by the sum of |d_j| times the column sums of U: v is within
(1 - a) / a x ``change`` of the solution, which is what an L1 change of that size between two steps
of the walk itself guarantees.

Every query is computed as if it were alone, its sums over the nodes in their order, and keeps the
values of the sweep in which its own change fell below the tolerance: the result depends neither on
the block nor on the number of threads.
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
from harness.retriever.walk import scale_rows

Float32 = NDArray[np.float32]
TINY = np.finfo(np.float64).tiny
WORTH = 0.02
ROUNDS = 50
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Solution:
    """A block's answer: the first of its B queries, values float32[N, B] (each query's contiguous),
    sweeps int64[B].

    change: float64[B], the values are within (1 - a) / a x change of the solution (L1).
    """

    first: int
    values: Float32
    iterations: NDArray[np.int64]
    change: NDArray[np.float64]


class Walks:
    """Walks over one graph, from any seeds: what follows from the graph alone is computed once.

    transition: [N, N], T[i, j] the share of i's mass that goes to j; each row sums to 1, or to 0
    for a dangling node.
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
        need_memory(
            4 * size * (16 * at_once + block * (at_once + 2)), f"walks over {size:,} nodes", mend
        )

    def __call__(self, seeds: sp.csr_array) -> Iterator[Solution]:
        """The blocks in query order.

        seeds: [Q, N], rows sum to 1 (a query without seeds has an empty row, and gets 0
        everywhere).
        """
        seeds = sp.csr_array(seeds)
        firsts = range(0, seeds.shape[0], self._block)
        return (
            self._by_torch(seeds, firsts)
            if self._device != "cpu"
            else self._by_numba(seeds, firsts)
        )

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
                    plan,
                    own,
                    nodes,
                    shares,
                    self._tolerance,
                    self._max_iter,
                    values,
                    right,
                    out[part],
                    steps[part],
                    change[part],
                )
            return Solution(first, out.T, steps, change)

        return map_threads(one, firsts, self._threads or available())


def _plan(system: System, restart: float) -> Any:
    from harness.retriever.pagerank.pagerank_kernel import Matrix, SolverArrays

    def matrix(given: sp.csr_array) -> Matrix:
        return Matrix(
            given.indptr.astype(np.int64),
            given.indices.astype(np.int32),
            given.data.astype(np.float32),
        )

    core, place = system.core, np.empty_like(system.order)
    place[system.order] = np.arange(len(place))
    rows = np.repeat(np.arange(core.shape[0]), np.diff(core.indptr))
    above = core.indices > rows
    upper = np.bincount(core.indices[above], core.data[above], core.shape[0]) * (
        2 / max(1 - restart, TINY)
    )
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


@dataclass(frozen=True, eq=False)
class System:
    """x = M x + b over N nodes, of which the first N - n in ``order`` are eliminated and the last n
    are the core.

    order: int64[N], the node at each place; all that follows counts by places.
    forward: [N, N], what a node gets of those eliminated before it: y_i = scale_i (b_i + sum of
    forward_ij y_j).
    core: [n, n], the system left, without its diagonal: x_i = scale_i (y_i / scale_i + sum of
    core_ij x_j).
    back: [N - n, N], what an eliminated node gets of those after it: x_i = y_i + scale_i sum of
    back_ij x_j.
    scale: float64[N], 1 / (1 - M_ii) at the time of its elimination, or in the core.
    loss: float64[n], 1 - the sum of a core column (with its diagonal): what a unit of mass there
    never brings back.
    mass: float64[N], the sum of x is that of mass_i y_i over the eliminated and of mass_i x_i over
    the core.
    """

    order: NDArray[np.int64]
    forward: sp.csr_array
    core: sp.csr_array
    back: sp.csr_array
    scale: NDArray[np.float64]
    loss: NDArray[np.float64]
    mass: NDArray[np.float64]


def eliminate(matrix: sp.csr_array, worth: float = WORTH) -> System:
    """The system without the nodes that can be taken out exactly (a Schur complement; cf. BePI,
    Jung et al. 2017).

    Of x = M x + b, a node e gives x_e = (b_e + sum of M_ei x_i) / (1 - M_ee). Put into the other
    rows, that leaves a smaller system with the same solution on what is left. A node with p sources
    and q targets takes p + q entries with it and brings at most p q: it is eliminated where that is
    no more. So go the nodes that one passage alone mentions, those that lead nowhere and those that
    nothing leads to; then their neighbours, which have fewer entries now. In rounds of nodes that
    do not touch each other, while a round takes at least the share ``worth`` of the entries.

    matrix: M, [N, N], non-negative, columns that sum to less than 1; not changed.
    """
    left, size = np.arange(matrix.shape[0]), matrix.shape[0]
    gone: list[NDArray[np.int64]] = []
    forward: list[Entries] = []
    back: list[Entries] = []
    scale, mass = np.empty(size), np.ones(size)
    rest = sp.csr_array(matrix, dtype=np.float64)
    for _ in range(ROUNDS):
        out, entries = _loose(rest)
        if not out.any() or entries < worth * rest.nnz:
            break
        e, c = np.flatnonzero(out), np.flatnonzero(~out)
        rows, columns = rest[c], rest[e]
        down, up = sp.csr_array(rows[:, e]), sp.csr_array(columns[:, c])
        factor = 1.0 / (1.0 - rest.diagonal()[e])
        forward.append(_entries(down, left[c], left[e]))
        back.append(_entries(up, left[e], left[c]))
        scale[left[e]] = factor
        gone.append(left[e])
        up = scale_rows(factor, up)
        mass[left[c]] += up.T @ mass[left[e]]
        rest, left = sp.csr_array(rows[:, c] + down @ up), left[c]
    scale[left] = 1.0 / (1.0 - rest.diagonal())
    loss = 1.0 - np.asarray(rest.sum(axis=0)).ravel()
    order = np.concatenate([*gone, left]).astype(np.int64)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    first = size - len(left)
    return System(
        order=order,
        forward=_matrix(forward, place, (size, size)),
        core=_off_diagonal(rest),
        back=_matrix(back, place, (first, size)),
        scale=scale[order],
        loss=loss,
        mass=mass[order],
    )


def _loose(matrix: sp.csr_array) -> tuple[NDArray[np.bool_], int]:
    """bool[n]: nodes whose elimination adds no entries, no two of them neighbours; and how many
    entries they have.
    """
    size = matrix.shape[0]
    rows, columns = np.repeat(np.arange(size), np.diff(matrix.indptr)), matrix.indices
    other = rows != columns
    sources = np.bincount(rows[other], minlength=size)
    targets = np.bincount(columns[other], minlength=size)
    loose = sources * targets <= sources + targets
    rank = np.arange(size, dtype=np.uint32) * np.uint32(2654435761)
    both = other & loose[rows] & loose[columns]
    one, two = rows[both], columns[both]
    loose[np.where(rank[one] > rank[two], one, two)] = False
    return loose, int((sources + targets)[loose].sum())


def _entries(matrix: sp.csr_array, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Entries:
    held = sp.coo_array(matrix)
    return rows[held.row], columns[held.col], held.data


def _matrix(parts: list[Entries], place: NDArray[np.int64], shape: tuple[int, int]) -> sp.csr_array:
    rows, columns = (
        np.concatenate([np.empty(0, np.int64), *(part[i] for part in parts)]) for i in (0, 1)
    )
    values = np.concatenate([np.empty(0), *(part[2] for part in parts)])
    made = sp.csr_array(sp.coo_array((values, (place[rows], place[columns])), shape=shape))
    made.sort_indices()
    return made


def _off_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    made = matrix.copy()
    if made.diagonal().any():
        made.setdiag(0)
        made.eliminate_zeros()
    made.sort_indices()
    return made
