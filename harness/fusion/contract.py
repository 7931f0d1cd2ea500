"""Checks of the attributes and results of fusion strategies.

User-defined strategies run thousands of times, and compiled code counts ranks without checking
shapes: it reads beyond the end of a smaller tensor.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from harness.core.errors import HarnessError, described

MEMBERS = {
    "fuser": ("__call__", "reads", "unit"),
    "normalizer": ("__call__", "absent", "unit"),
    "temperature": ("__call__",),
    "reranker": ("__call__", "reads"),
}
"""The attributes that a class of each concept must have."""


def check_members(concept: str, strategy: object) -> None:
    """Check that a strategy has all attributes of its concept; raise HarnessError otherwise."""
    if lacking := [name for name in MEMBERS[concept] if not hasattr(strategy, name)]:
        raise HarnessError(
            f"{concept}: {type(strategy).__name__} lacks {' and '.join(lacking)}; "
            f"`harness new {concept} NAME` writes a class that has them"
        )


def checked(strategy: object, array: object, shape: Sequence[int], what: str) -> Tensor:
    """Return the result of a strategy if it is float64[*shape]; raise HarnessError otherwise.

    Args:
        strategy: the strategy.
        array: its result.
        shape: the expected shape.
        what: the expected content, for the message, as in ``a score a document``.
    """
    if isinstance(array, Tensor) and array.dtype == torch.float64 and array.shape == tuple(shape):
        return array
    message = (
        f"{array.dtype} of shape {tuple(array.shape)}"
        if isinstance(array, Tensor)
        else described(array)
    )
    raise HarnessError(
        f"{type(strategy).__name__} gave {message}, expected {what}, float64 of {tuple(shape)}"
    )


def check_bounds(strategy: object, values: Tensor, wrong: Tensor, expected: str) -> None:
    """Raise HarnessError with the first of the values that are ``wrong`` (bool, same shape), if any
    is.
    """
    if wrong.any():
        raise HarnessError(
            f"{type(strategy).__name__} gave {float(values[wrong][0])}, expected {expected}"
        )
