"""Personalised PageRank of many queries at once: v = (1 - a) (T' v + m s) + a s, where a is the
restart probability, s the seeds of a query and m the mass on dangling nodes.

v is u / sum(u), where u = M u + s and M = (1 - a) T': what dangling nodes return is spread as the
seeds are, so that it changes the scale of u alone. sum(u) is r' s, where r = 1 + M' r is the same
for every query.

A node of few neighbours is eliminated. The mass that passes through it becomes an edge between its
neighbours, and its own value follows from theirs. The others solve x = G x + h by sweeps of a block
Gauss-Seidel iteration, which begins with x = h. Nothing is negative, so each sweep raises x towards
the solution, and what is missing of sum(u) is the error in L1. It is known for each query after
each sweep. A walk ends when it is small enough.

The first sweeps, which leave an error of some ``ROUGH``, compute in float32, which moves half the
bytes. Their values are then lowered by ``LOWER``, more than rounding can have raised them, so that
x is below the solution again, and the sweeps after them compute in float64.

A sweep is ``SWEPT`` products of a sparse matrix and a dense block of queries, by SciPy on the CPU
and by torch on a device. Each query is a column whose sums follow the order of the nodes: its
values depend neither on the block nor on the number of threads. They are returned in float32. Nodes
whose values are equal in exact arithmetic may differ by the error of the walk.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, starmap
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.core.device import in_halves
from harness.core.threads import available, map_threads

FEW = 3
"""Number of neighbours up to which a node may be eliminated: d neighbours lose 2 d edges and gain d
(d - 1) at most, so that no elimination adds edges.
"""
LEFT = 37
"""A sum of powers of 1 - a has all bits of a float64 after ``LEFT`` / a terms: exp(-37) = 1e-16."""
SWEPT = 8
"""Number of parts of a sweep. A part uses the values of this sweep of the parts before it."""
ROUGH = 3e-4
"""The error in L1, as a share of sum(u), from which on sweeps compute in float64. A sweep divides
the error by some 1 / (1 - a) ** 2.
"""
LOWER = 2.0**-15
"""The share by which values of float32 are lowered: 500 times its rounding of one sum."""
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class Solution:
    """The walks of a block of B queries.

    Args:
        first: number of the first query of the block.
        values: float32[V, B], of the nodes that are asked for, each query's values contiguous.
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
        tolerance: a walk ends when its values are within (1 - a) / a x tolerance of the solution.
        max_iter: largest number of steps.
        block: number of queries of a matrix product.
        threads: number of blocks at work on the CPU; None for all processors.
        device: ``cpu`` (SciPy) or a torch device.
        first: number of the first node whose values are returned; those of all nodes after it are.
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
        first: int = 0,
    ) -> None:
        size = transition.shape[0]
        self._threads = (threads or available()) if device == "cpu" else 1
        moved = sp.csr_array((1 - restart) * transition.T, dtype=np.float64)
        few = _few_neighbours(moved)
        self._few, self._rest = np.flatnonzero(few), np.flatnonzero(~few)
        rest_rows, outward = moved[self._rest], moved[self._few][:, self._rest]
        self._inward = sp.csr_array(rest_rows[:, self._few].T)
        system = sp.csr_array(rest_rows[:, self._rest] + rest_rows[:, self._few] @ outward)
        self._scale = sp.diags_array(1 / (1 - system.diagonal()))
        system.setdiag(0)
        system.eliminate_zeros()
        system = sp.csr_array(self._scale @ system)
        bounds = np.linspace(0, len(self._rest), SWEPT + 1).astype(int)
        blocks, rough = list(starmap(slice, pairwise(bounds))), system.astype(np.float32)
        self._parts = [(block, _on(device, system[block])) for block in blocks]
        self._rough = [(block, _on(device, rough[block])) for block in blocks]
        sweeps = math.log(ROUGH) / 2 / math.log(max(1 - restart, TINY))
        self._rough_sweeps = min(round(sweeps), max_iter - 1)
        mass = sp.csr_array(1 + outward.sum(axis=0)[None, :])
        shown = int(np.searchsorted(self._few, first))
        self._outward, self._mass = _on(device, outward[shown:]), _on(device, mass)
        self._first, self._nodes = first, size - first
        self._asked = (int(np.searchsorted(self._rest, first)), shown)
        self._sums = _sums(moved, restart)
        self._error = (1 - restart) / restart * tolerance
        self._restart, self._max_iter, self._block, self._device = restart, max_iter, block, device

    def __call__(self, seeds: sp.csr_array) -> Iterator[Solution]:
        """Yield the blocks in query order.

        Args:
            seeds: [Q, N], rows sum to 1. A query without seeds has an empty row, and gets 0
                everywhere.
        """
        seeds = sp.csr_array(seeds, dtype=np.float64)
        few_seeds = seeds[:, self._few]
        started = sp.csr_array((seeds[:, self._rest] + few_seeds @ self._inward) @ self._scale)
        total = seeds @ self._sums

        def solve(part: range) -> Solution:
            rows = slice(part.start, part.stop)
            walked = self._walk(started[rows].tocoo(), few_seeds[rows], total[rows])
            return Solution(part.start, *walked)

        def work(part: range) -> list[Solution]:
            return list(in_halves(solve, part, "walk on the CPU: lists.NAME.device=cpu"))

        count = seeds.shape[0]
        firsts = range(0, count, self._block)
        parts = (range(first, min(first + self._block, count)) for first in firsts)
        return chain.from_iterable(map_threads(work, parts, self._threads))

    def _walk(
        self, started: sp.coo_array, few_seeds: sp.csr_array, total: Float64Array
    ) -> tuple[Float32Array, Int64Array, Float64Array]:
        """Return the values, the iterations and the change of a block.

        Args:
            started: [B, R], h of the R nodes that are not eliminated.
            few_seeds: [B, N - R], seeds of the eliminated nodes.
            total: float64[B], sum(u).
        """
        dense = started.T.toarray()
        low = _on(self._device, dense.astype(np.float32))
        first = _on(self._device, dense.astype(np.float64))
        rough = low + 0
        for _ in range(self._rough_sweeps):
            _sweep(self._rough, rough, low)
        values = rough * _on(self._device, np.array([1 - LOWER]))
        sums = total - few_seeds.sum(axis=1)
        scale = np.where(total > 0, total, 1)
        shares = _rows(self._device, len(total), self._nodes)
        steps, missing = np.zeros(len(total), np.int64), np.zeros(len(total))
        for step in range(self._rough_sweeps + 1, self._max_iter + 1):
            _sweep(self._parts, values, first)
            left = np.maximum(sums - _to_numpy(self._mass @ values)[0], 0)
            done = (left <= self._error * total) | (step == self._max_iter)
            ends = np.flatnonzero(done & (steps == 0))
            steps[ends], missing[ends] = step, left[ends]
            if len(ends):
                columns = _on(self._device, ends)
                shares[columns] = self._shares(values[:, columns], few_seeds[ends], scale[ends])
            if steps.all():
                break
        change = missing / scale * self._restart / max(1 - self._restart, TINY)
        return _to_numpy(shares).T, steps * (total > 0), change

    def _shares(self, values: Any, few_seeds: sp.csr_array, scale: Float64Array) -> Any:
        """Return float32[B, V], the values of the nodes that are asked for, divided by the scale of
        each query.

        Args:
            values: [R, B], the nodes that are not eliminated.
            few_seeds: [B, N - R], seeds of the eliminated nodes.
            scale: float64[B].
        """
        rest, few = self._asked
        divisor = _on(self._device, scale)
        eliminated = self._outward @ values + _on(self._device, few_seeds[:, few:].toarray().T)
        shares = _rows(self._device, len(scale), self._nodes)
        shares[:, self._rest[rest:] - self._first] = _narrow(values[rest:] / divisor)
        shares[:, self._few[few:] - self._first] = _narrow(eliminated / divisor)
        return shares


def _sweep(parts: Sequence[tuple[slice, Any]], values: Any, first: Any) -> None:
    """Replace the values [R, B] by G values + first, part by part."""
    for part, rows in parts:
        product = rows @ values
        product += first[part]
        values[part] = product


def _few_neighbours(moved: sp.csr_array) -> NDArray[np.bool_]:
    """Return bool[N], nodes without a self-loop and with at most ``FEW`` neighbours, no two of
    which are neighbours.
    """
    joined = sp.csr_array(moved + moved.T)
    few = (np.diff(joined.indptr) <= FEW) & (joined.diagonal() == 0)
    one, other = joined.nonzero()
    later = np.maximum(one, other)[few[one] & few[other]]
    few[later] = False
    return np.asarray(few)


def _sums(moved: sp.csr_array, restart: float) -> Float64Array:
    """Return r of the module's text, float64[N]."""
    sums = np.ones(moved.shape[0])
    for _ in range(math.ceil(LEFT / restart)):
        sums = 1 + moved.T @ sums
    return sums


def _rows(device: str, rows: int, columns: int) -> Any:
    """Return room for float32 values."""
    if device == "cpu":
        return np.empty((rows, columns), np.float32)
    import torch

    return torch.empty((rows, columns), device=device)


def _to_numpy(values: Any) -> NDArray[Any]:
    array: NDArray[Any] = values if isinstance(values, np.ndarray) else values.cpu().numpy()
    return array


def _narrow(values: Any) -> Any:
    """Return the transpose, in float32."""
    return values.T.astype(np.float32) if isinstance(values, np.ndarray) else values.T.float()


def _on(device: str, values: Any) -> Any:
    """Return an array or a sparse matrix as it is, or as a tensor on a device."""
    if device == "cpu":
        return values
    import torch

    if not sp.issparse(values):
        return torch.from_numpy(np.ascontiguousarray(values)).to(device)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            torch.from_numpy(values.indptr.astype(np.int64)),
            torch.from_numpy(values.indices.astype(np.int64)),
            torch.from_numpy(values.data),
            size=values.shape,
            device=device,
            check_invariants=False,  # without a value torch warns
        )
