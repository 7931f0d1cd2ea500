"""Fields of strategies that are learned from data: null in a configuration, filled by the strategy's ``fit``."""

from __future__ import annotations

import dataclasses
from typing import Any

LEARNED = {"learned": True}
"""Metadata of such a field: ``field(default=None, hash=False, metadata=LEARNED)``. A value that is given is used."""


def learned_fields(strategy: Any) -> dict[str, Any]:
    """The learned fields of a strategy, by name."""
    return {
        field.name: getattr(strategy, field.name)
        for field in dataclasses.fields(strategy)
        if field.metadata.get("learned")
    }


def must_learn(strategy: Any) -> bool:
    """Whether the strategy has still to learn: one of those fields is null."""
    return any(value is None for value in learned_fields(strategy).values())
