"""Sixteen numbers as one value in numba: what one instruction adds, or four, as the processor has it.

numba makes a loop over a row's columns into loads and stores of memory at each edge; a value of this type stays in
registers, which is worth a factor of four in the walk. An operation on it is the same operation on each lane, rounded
on its own (no fused multiply-add), so a lane's bits depend neither on its neighbours nor on the processor.
numba's own cache looks at the file of the kernel alone: when this file changes, so should that.
"""

# mypy: disable-error-code="import-untyped,misc,no-untyped-call,untyped-decorator"

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

COUNT = 16
primitive: Any = intrinsic


class Lanes(types.Type):
    """``COUNT`` numbers of one kind."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        super().__init__(name=f"Lanes({kind})")


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Lanes) -> None:
        kind = ir.FloatType() if lanes.kind == types.float32 else ir.DoubleType()
        super().__init__(manager, lanes, ir.VectorType(kind, COUNT))


SINGLE, DOUBLE = Lanes(types.float32), Lanes(types.float64)
_SINGLE, _DOUBLE = ir.VectorType(ir.FloatType(), COUNT), ir.VectorType(ir.DoubleType(), COUNT)


def _at(context: Any, builder: Any, array: Any, value: Any, row: Any) -> Any:
    """Where the row of a contiguous array [N, COUNT] begins."""
    start = context.make_array(array)(context, builder, value).data
    return builder.gep(builder.bitcast(start, _SINGLE.as_pointer()), [row])


def _spread(builder: Any, value: Any, vector: ir.VectorType) -> Any:
    """A number in every lane."""
    empty = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(empty, value, ir.IntType(32)(0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), COUNT), [0] * COUNT))


@primitive
def load(typing: Any, array: Any, row: Any) -> Any:
    """Row ``row`` of float32[N, COUNT]."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        found = builder.load(_at(context, builder, signature.args[0], *given))
        found.align = 4
        return found

    return SINGLE(array, types.int64), emit


@primitive
def store(typing: Any, array: Any, row: Any, lanes: Any) -> Any:
    """Writes a row of float32[N, COUNT]."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        written = builder.store(given[2], _at(context, builder, signature.args[0], *given[:2]))
        written.align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), emit


@primitive
def same(typing: Any, number: Any) -> Any:
    """A float32 or float64 number in every lane."""
    kind = SINGLE if number == types.float32 else DOUBLE

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _spread(builder, given[0], context.get_value_type(kind))

    return kind(number), emit


@primitive
def plus(typing: Any, total: Any, factor: Any, lanes: Any) -> Any:
    """``total`` + factor x lanes, in the kind of ``total``."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        total, factor, value = given
        if signature.args[0].kind == types.float64:
            value = builder.fpext(value, _DOUBLE)
        return builder.fadd(total, builder.fmul(_spread(builder, factor, total.type), value))

    return total(total, total.kind, lanes), emit


@primitive
def times(typing: Any, left: Any, right: Any) -> Any:
    """Lane by lane."""
    return left(left, right), lambda context, builder, signature, given: builder.fmul(*given)


@primitive
def distance(typing: Any, left: Any, right: Any) -> Any:
    """|left - right|"""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        gap = builder.fsub(*given)
        return builder.select(
            builder.fcmp_ordered("<", gap, ir.Constant(_SINGLE, [0.0] * COUNT)), builder.fneg(gap), gap
        )

    return left(left, right), emit


@primitive
def where(typing: Any, chosen: Any, yes: Any, no: Any) -> Any:
    """``yes`` in the lanes that ``chosen`` does not hold 0 in, else ``no``."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        chosen, yes, no = given
        return builder.select(builder.fcmp_unordered("!=", chosen, ir.Constant(_SINGLE, [0.0] * COUNT)), yes, no)

    return yes(chosen, yes, no), emit


@primitive
def keep(typing: Any, lanes: Any, array: Any) -> Any:
    """Writes float64 lanes to float64[COUNT]."""

    def emit(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        start = context.make_array(signature.args[1])(context, builder, given[1]).data
        written = builder.store(given[0], builder.bitcast(start, _DOUBLE.as_pointer()))
        written.align = 8
        return context.get_dummy_value()

    return types.void(lanes, array), emit
