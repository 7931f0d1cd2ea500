"""The walk of sixteen queries: a node's values side by side, float32[N, COUNT], one line of the cache a node."""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from harness.retriever.pagerank.lanes import COUNT, distance, keep, load, plus, same, store, times, where

Float32 = NDArray[np.float32]
Floats = NDArray[np.float64]


class Matrix(NamedTuple):
    """Compressed rows: int64[n + 1], int32[entries], float32[entries]."""

    bounds: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: Float32


class SolverArrays(NamedTuple):
    """A ``System`` (see there) in float32.

    place: of each node. upper: float32[n], of what a core node sends on, the part that goes to places before its own,
    doubled and divided by 1 - a (why: see ``pagerank``).
    """

    place: NDArray[np.int64]
    forward: Matrix
    core: Matrix
    back: Matrix
    scale: Float32
    loss: Floats
    mass: Floats
    upper: Float32


@numba.njit(inline="always")
def add_row(total, matrix, row, values):
    """``total`` + the entries of the row times their values, in their order."""
    for k in range(matrix.bounds[row], matrix.bounds[row + 1]):
        total = plus(total, matrix.weights[k], load(values, matrix.indices[k]))
    return total


@numba.njit(inline="always")
def to_array(lanes):
    """float64[COUNT]"""
    array = np.empty(COUNT)
    keep(lanes, array)
    return array


@numba.njit(cache=True, nogil=True)
def eliminate_forward(plan, bounds, nodes, shares, values, right):
    """``values`` from the seeds (compressed rows, one a lane) to y; the core's right side and its sum; y's mass."""
    values[:] = 0
    for lane in range(len(bounds) - 1):
        for k in range(bounds[lane], bounds[lane + 1]):
            values[plan.place[nodes[k]], lane] += shares[k]
    first, total, mass = len(values) - len(right), same(0.0), same(0.0)
    for i in range(first):
        y = times(same(plan.scale[i]), add_row(load(values, i), plan.forward, i, values))
        store(values, i, y)
        mass = plus(mass, plan.mass[i], y)
    for i in range(len(right)):
        y = add_row(load(values, first + i), plan.forward, first + i, values)
        store(right, i, y)
        total = plus(total, 1.0, y)
    return to_array(total), to_array(mass)


@numba.njit(cache=True, nogil=True)
def sweep(core, scale, upper, loss, values, right, active):
    """One sweep in place over the active lanes: the weighted change, and the mass that leaves the core for good."""
    change, lost, chosen = same(0.0), same(0.0), load(active, 0)
    for i in range(len(right)):
        old = load(values, i)
        new = times(same(scale[i]), add_row(load(right, i), core, i, values))
        new = where(chosen, new, old)
        store(values, i, new)
        change = plus(change, upper[i], distance(new, old))
        lost = plus(lost, loss[i], new)
    return to_array(change), to_array(lost)


@numba.njit(cache=True, nogil=True)
def weighted_sum(weights, values):
    """float64[COUNT]: the weighted sum of the rows."""
    total = same(0.0)
    for i in range(len(values)):
        total = plus(total, weights[i], load(values, i))
    return to_array(total)


@numba.njit(cache=True, nogil=True)
def scale_in_place(values, factors):
    """Every row times the factors, in place."""
    by = load(factors, 0)
    for i in range(len(values)):
        store(values, i, times(by, load(values, i)))


@numba.njit(cache=True, nogil=True)
def substitute_back(plan, values, out):
    """The eliminated nodes from the core, and all, divided by their sum, to float32[lanes, N] in the nodes' order."""
    total = same(0.0)
    for i in range(len(plan.back.bounds) - 2, -1, -1):
        more = add_row(same(np.float32(0)), plan.back, i, values)
        store(values, i, plus(load(values, i), plan.scale[i], more))
    for i in range(len(values)):
        total = plus(total, 1.0, load(values, i))
    sums = to_array(total)
    for begin in range(0, len(values), 64):
        end = min(begin + 64, len(values))
        for lane in range(len(out)):
            share = np.float32(1 / sums[lane] if sums[lane] > 0 else 0)
            for node in range(begin, end):
                out[lane, node] = values[plan.place[node], lane] * share


@numba.njit(cache=True, nogil=True)
def walk(plan, bounds, nodes, shares, tolerance, most, values, right, out, steps, changes):
    """The walk of up to COUNT queries to ``out``; per query its sweeps and the bound after the last."""
    target, known = eliminate_forward(plan, bounds, nodes, shares, values, right)
    first = len(values) - len(right)
    core, scale, mass = values[first:], plan.scale[first:], plan.mass[first:]
    active, factors = np.zeros((1, COUNT), np.float32), np.ones((1, COUNT), np.float32)
    active[0, : len(out)] = 1
    for step in range(1, most + 1):
        change, lost = sweep(plan.core, scale, plan.upper, plan.loss, core, right, active)
        near = step == most
        for lane in range(len(out)):
            near = near or (active[0, lane] and change[lane] < tolerance)
        if near:
            total = known + weighted_sum(mass, core)
        for lane in range(len(out)):
            if near and active[0, lane]:
                steps[lane], changes[lane] = step, change[lane] / total[lane] if total[lane] > 0 else 0
                active[0, lane] = changes[lane] >= tolerance
            factors[0, lane] = target[lane] / lost[lane] if active[0, lane] and lost[lane] > 0 else 1
        if step == most or not active.any():
            break
        scale_in_place(core, factors)
    substitute_back(plan, values, out)
