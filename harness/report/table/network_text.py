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
            text = ", ".join(f"{key} {number}" for key, number in value.items())
        lines.append(f"  {name.replace('_', ' ')}: {text}")
    return lines
