"""Fields of strategies that are learned: null in a configuration, filled by the
strategy's ``fit``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from harness.core.errors import HarnessError, is_number

T = TypeVar("T")
LEARNED = {"learned": True}
"""Metadata of such a field: ``field(default=None, hash=False, metadata=LEARNED)``. A value in the
configuration is used as it is.
"""


def check_numbers(knob: str, value: Any) -> None:
    """Check that a knob is null or finite numbers by list name; raise HarnessError otherwise."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise HarnessError(
            f"{knob} = {str(value)[:60]!r}, expected numbers by the name of a list, or null"
        )
    for name, numbers in value.items():
        if not isinstance(numbers, Sequence) or not all(map(is_finite, numbers)):
            raise HarnessError(f"{knob}.{name} = {str(numbers)[:60]!r}, expected finite numbers")


def is_finite(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return is_number(value) and abs(value) < math.inf


def learned_fields(strategy: Any) -> dict[str, object]:
    """Return the learned fields of a strategy by name."""
    return {
        field.name: getattr(strategy, field.name)
        for field in dataclasses.fields(strategy)
        if field.metadata.get("learned")
    }


def learned_value(strategy: str, what: str, value: T | None, give: str = "") -> T:
    """Return a learned value of a strategy; raise HarnessError if it has not learned.

    Args:
        strategy: as typed, e.g. ``fuser=learned``.
        what: name of the value.
        value: the value, or None.
        give: how else it can be given, if it can.
    """
    if value is None:
        other = f"; or give {give}" if give else ""
        raise HarnessError(
            f"{strategy} has no {what}: `harness sweep` learns it on tune, and `harness fuse "
            "lock=winner.lock.json` "
            f"uses what it learned{other}"
        )
    return value


def must_learn(strategy: Any) -> bool:
    """Return whether a learned field of the strategy is null."""
    return any(value is None for value in learned_fields(strategy).values())
