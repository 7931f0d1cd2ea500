"""What is stored, held against its typed description: the ``TypedDict`` that code reads it by
(pydantic, strict).
"""

from __future__ import annotations

import functools
from typing import Annotated, Any

from pydantic import BeforeValidator, FiniteFloat, TypeAdapter, ValidationError

Number = FiniteFloat
"""A finite number, whole or not; a truth value is none."""
Pair = Annotated[
    tuple[Number, Number],
    BeforeValidator(lambda value: tuple(value) if type(value) is list else value),
]
"""Two numbers; JSON has them as a list."""


def misfit(value: Any, kind: Any) -> str | None:
    """The first value that is not of its type, as ``n = 'x', expected a valid integer``; None where
    all are.

    value: what was read from JSON or YAML.    kind: its type, such as a TypedDict of
    ``typing_extensions`` (pydantic needs that one before Python 3.12). Names that the type does not
    have may be there.
    """
    try:
        _adapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        if fault["type"] == "missing":
            return f"{place} is missing"
        expected = fault["msg"].replace("Input should be", "expected")
        return f"{place} = {_start(fault['input'])!r}, {expected}".removeprefix(" = ")
    return None


def _start(value: Any) -> str:
    try:
        return str(value)[:40]
    except ValueError:  # an integer of more digits than Python prints
        return f"{type(value).__name__} of more than 4,300 digits"


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
