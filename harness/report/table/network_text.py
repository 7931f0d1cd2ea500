"""A graph's statistics as lines of text."""

from __future__ import annotations

from collections.abc import Mapping

from harness.core.artifact import Facts


def describe_network(facts: Facts) -> list[str]:
    """Return a line for each statistic of ``Network.facts``."""
    lines = []
    for name, value in facts.items():
        text = value
        if isinstance(value, Mapping):
            order = sorted(value, key=_first_number)  # a manifest loses the order of degrees
            text = ", ".join(f"{key} {value[key]}" for key in order)
        lines.append(f"  {name.replace('_', ' ')}: {text}")
    return lines


def _first_number(key: str) -> int:
    first = key.partition("-")[0]
    return int(first) if first.isdigit() else 0
