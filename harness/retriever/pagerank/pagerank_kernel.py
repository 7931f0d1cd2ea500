"""The walk of sixteen queries: a node's values side by side, float32[N, COUNT], one line of the
cache a node.
"""

# mypy: disable-error-code="import-untyped,misc,no-untyped-call,no-untyped-def,untyped-decorator"

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

COUNT = 16
SINGLE, DOUBLE = ir.VectorType(ir.FloatType(), COUNT), ir.VectorType(ir.DoubleType(), COUNT)
Float32 = NDArray[np.float32]
Floats = NDArray[np.float64]


class Matrix(NamedTuple):
    """Compressed rows: int64[n + 1], int32[entries], float32[entries]."""

    bounds: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: Float32


class SolverArrays(NamedTuple):
    """A ``System`` (see there) in float32.

    place: of each node. upper: float32[n], of what a core node sends on, the part that goes to
    places before its own, doubled and divided by 1 - a (why: see ``pagerank``).
    """

    place: NDArray[np.int64]
    forward: Matrix
    core: Matrix
    back: Matrix
    scale: Float32
    loss: Floats
    mass: Floats
    upper: Float32


def _relax(typing, out, row, start, values, matrix, line, scale, chosen, upper, loss, change, lost):
    """out[row] = scale (start[row] + the entries of a line of a matrix times their rows of
    ``values``), where chosen.

    Adds upper |new - old| to change and loss x new to lost, float64[1, COUNT]. Sixteen numbers are
    one value in registers, which is worth a factor of four: numba loads and stores a sum at each
    entry. Each lane's operations are its own, in the order of the entries, rounded one by one (no
    fused multiply-add), so its bits depend neither on its neighbours nor on the processor.
    """

    def emit(context, builder, signature, given):
        def data(kind, value):
            return context.make_array(kind)(context, builder, value).data

        def lanes(place, number, kind=SINGLE):
            start = data(signature.args[place], given[place])
            return builder.gep(builder.bitcast(start, kind.as_pointer()), [number])

        def load(place):
            found = builder.load(place)
            found.align = 4
            return found

        def spread(value, kind):
            first = builder.insert_element(
                ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0)
            )
            return builder.shuffle_vector(
                first, first, ir.Constant(ir.VectorType(ir.IntType(32), COUNT), [0] * COUNT)
            )

        def add(place, factor, value):
            more = builder.fmul(spread(factor, DOUBLE), builder.fpext(value, DOUBLE))
            builder.store(builder.fadd(load(place), more), place).align = 4

        place, nothing, zero = (
            lanes(0, given[1]),
            ir.Constant(SINGLE, [0.0] * COUNT),
            ir.IntType(64)(0),
        )
        kinds = enumerate(signature.args[4].types)
        bounds, indices, weights = (
            data(kind, builder.extract_value(given[4], at)) for at, kind in kinds
        )
        total = cgutils.alloca_once_value(builder, load(lanes(2, given[1])))
        first, end = (
            builder.load(builder.gep(bounds, [builder.add(given[5], zero.type(at))]))
            for at in (0, 1)
        )
        with cgutils.for_range_slice(builder, first, end, zero.type(1)) as (entry, _):
            weight = spread(builder.load(builder.gep(weights, [entry])), SINGLE)
            value = load(
                lanes(3, builder.sext(builder.load(builder.gep(indices, [entry])), zero.type))
            )
            builder.store(builder.fadd(builder.load(total), builder.fmul(weight, value)), total)
        old, is_chosen = load(place), builder.fcmp_unordered("!=", load(lanes(7, zero)), nothing)
        new = builder.select(
            is_chosen, builder.fmul(spread(given[6], SINGLE), builder.load(total)), old
        )
        builder.store(new, place).align = 4
        gap = builder.fsub(new, old)
        gap = builder.select(builder.fcmp_ordered("<", gap, nothing), builder.fneg(gap), gap)
        add(lanes(10, zero, DOUBLE), given[8], gap)
        add(lanes(11, zero, DOUBLE), given[9], new)
        return context.get_dummy_value()

    whole, single, double = types.int64, types.float32, types.float64
    asked = (out, whole, start, values, matrix, whole, single, chosen, double, double, change, lost)
    return types.void(*asked), emit


relax: Any = intrinsic(_relax)


@numba.njit(cache=True, nogil=True)
def eliminate_forward(plan, bounds, nodes, shares, values, right, every):
    """``values`` from the seeds (compressed rows, one a lane) to y; the core's right side and its
    sum; y's mass.
    """
    values[:] = 0
    for lane in range(len(bounds) - 1):
        for k in range(bounds[lane], bounds[lane + 1]):
            values[plan.place[nodes[k]], lane] += shares[k]
    first, sums = len(values) - len(right), np.zeros((3, 1, COUNT))
    unused, total, mass = sums[0], sums[1], sums[2]
    for i in range(first):
        relax(
            values,
            i,
            values,
            values,
            plan.forward,
            i,
            plan.scale[i],
            every,
            0.0,
            plan.mass[i],
            unused,
            mass,
        )
    right[:] = values[first:]
    for i in range(len(right)):
        relax(
            right,
            i,
            right,
            values,
            plan.forward,
            first + i,
            np.float32(1),
            every,
            0.0,
            1.0,
            unused,
            total,
        )
    return total[0], mass[0]


@numba.njit(cache=True, nogil=True)
def weighted_sum(weights, values):
    """float64[COUNT]: the weighted sum of the rows."""
    total = np.zeros(COUNT)
    for i in range(len(values)):
        for lane in range(COUNT):
            total[lane] += weights[i] * values[i, lane]
    return total


@numba.njit(cache=True, nogil=True)
def substitute_back(plan, values, out, every):
    """The eliminated nodes from the core, and all, divided by their sum, to float32[lanes, N] in
    the nodes' order.
    """
    more, none, unused = (
        np.zeros((1, COUNT), np.float32),
        np.zeros((1, COUNT), np.float32),
        np.zeros((1, COUNT)),
    )
    for i in range(len(plan.back.bounds) - 2, -1, -1):
        relax(more, 0, none, values, plan.back, i, np.float32(1), every, 0.0, 0.0, unused, unused)
        for lane in range(COUNT):
            values[i, lane] += plan.scale[i] * more[0, lane]
    sums = weighted_sum(np.ones(len(values)), values)
    for begin in range(0, len(values), 64):
        end = min(begin + 64, len(values))
        for lane in range(len(out)):
            share = np.float32(1 / sums[lane] if sums[lane] > 0 else 0)
            for node in range(begin, end):
                out[lane, node] = values[plan.place[node], lane] * share


@numba.njit(cache=True, nogil=True)
def sweep(plan, core, right, active):
    """One sweep in place over the active lanes: the weighted change, and the mass that leaves the
    core for good.
    """
    change, lost, scale = (
        np.zeros((1, COUNT)),
        np.zeros((1, COUNT)),
        plan.scale[len(plan.scale) - len(right) :],
    )
    for i in range(len(right)):
        relax(
            core,
            i,
            right,
            core,
            plan.core,
            i,
            scale[i],
            active,
            plan.upper[i],
            plan.loss[i],
            change,
            lost,
        )
    return change[0], lost[0]


@numba.njit(cache=True, nogil=True)
def rest_lanes(step, bounds, tolerance, active, steps, changes):
    """Note the step and the bound of each active lane, which rests where its bound is below
    ``tolerance``.
    """
    for lane in range(len(steps)):
        if active[0, lane]:
            steps[lane], changes[lane] = step, bounds[lane]
            active[0, lane] = bounds[lane] >= tolerance


@numba.njit(cache=True, nogil=True)
def balance(core, active, target, lost):
    """Scale each active lane so that what leaves the core is what comes in."""
    factors = np.ones(COUNT, np.float32)
    for lane in range(COUNT):
        if active[0, lane] and lost[lane] > 0:
            factors[lane] = target[lane] / lost[lane]
    for i in range(len(core)):
        for lane in range(COUNT):
            core[i, lane] *= factors[lane]


@numba.njit(cache=True, nogil=True)
def walk(plan, bounds, nodes, shares, tolerance, most, values, right, out, steps, changes):
    """The walk of up to COUNT queries to ``out``; per query its sweeps and the bound after the
    last.
    """
    every, active = np.ones((1, COUNT), np.float32), np.zeros((1, COUNT), np.float32)
    active[0, : len(out)] = 1
    target, known = eliminate_forward(plan, bounds, nodes, shares, values, right, every)
    first = len(values) - len(right)
    core, mass = values[first:], plan.mass[first:]
    for step in range(1, most + 1):
        change, lost = sweep(plan, core, right, active)
        if step == most or ((active[0] > 0) & (change < tolerance)).any():
            total = known + weighted_sum(mass, core)
            rest_lanes(
                step, np.where(total > 0, change / total, 0), tolerance, active, steps, changes
            )
        if step == most or not active.any():
            break
        balance(core, active, target, lost)
    substitute_back(plan, values, out, every)
