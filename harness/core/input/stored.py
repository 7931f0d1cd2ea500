"""Checks of stored values against the ``TypedDict`` by which the code reads them (pydantic,
strict).
"""

from __future__ import annotations

import functools
from typing import Annotated, Any

from pydantic import BeforeValidator, FiniteFloat, TypeAdapter, ValidationError

Number = FiniteFloat
"""A finite number, whole or not. A truth value is no number."""
Pair = Annotated[
    tuple[Number, Number],
    BeforeValidator(lambda value: tuple(value) if type(value) is list else value),
]
"""Two numbers. In JSON they are a list."""


def misfit(value: Any, kind: Any) -> str | None:
    """Return the first value of a wrong type, as ``n = 'x', expected a valid integer``, or None.

    Args:
        value: a value that was read from JSON or YAML.
        kind: its type, such as a TypedDict of ``typing_extensions`` (pydantic needs that one before
            Python 3.12). Further names are allowed.
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
