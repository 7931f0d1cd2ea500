"""The card of a twin: what was changed, how often, and what was measured before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def describe(card: Mapping[str, Any]) -> list[str]:
    """Lines to print of ``Benchmark.twin``."""
    measured = [(name, count, card["before"][name]) for name, count in card["after"].items()]
    return [
        f"twin of {card['of']}, {card['kind']}, seed {card['seed']}:",
        *(f"  {name}: {count:,}" for name, count in card["changes"].items()),
        *(f"  {name}: {now:,}, {f'before {then:,}' if now != then else 'as before'}" for name, now, then in measured),
    ]
