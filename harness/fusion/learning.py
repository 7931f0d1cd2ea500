"""Fields of strategies that are learned: null in a configuration, filled by the
strategy's ``fit``.
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from harness.core.errors import HarnessError

T = TypeVar("T")
LEARNED = {"learned": True}
"""Metadata of such a field: ``field(default=None, hash=False, metadata=LEARNED)``. A value in the
configuration is used as it is.
"""


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
