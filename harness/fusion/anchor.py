"""The list that others are added to where nothing says which."""

from __future__ import annotations

from collections.abc import Sequence


def default_anchor(names: Sequence[str]) -> str:
    """``dense``, or the first when none has that name."""
    return "dense" if "dense" in names else names[0]
