"""What `harness linkage` says below its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.table import percent, points, span


def linkage_sentences(found: Mapping[str, Any], measured: Mapping[str, Any]) -> list[str]:
    """Where a walk can start, titles that say too little, and what is expected, with how often that was wrong.

    measured: ``rare`` and ``encoder`` of the benchmarks that an expectation is fitted on.
    """
    said = []
    if start := found["start"]:
        said.append(
            f"{percent(start['names_gold'])}% of the questions name the title of a gold passage, "
            f"{percent(start['names_any'])}% that of any passage."
        )
        if not found["gold"]:
            said.append("No question has two gold passages, so there is no pair to join.")
    shared, without = found["ambiguous_titles"], found["without_title"]
    said.append(f"{shared:,} of {found['passages']:,} passages share their title with another, {without:,} have none.")
    if "expected" in found:
        said += _expectation(found["expected"][found["dataset"]], found["judged"], measured["encoder"])
    elif start:
        other_rare = f"others were measured at rare={measured['rare']}"
        why = "no hop order is known" if found["rare"] == measured["rare"] else other_rare
        said.append(f"Of graph over dense nothing is expected: {why}.")
    return said


def _expectation(expected: Mapping[str, Any], judged: Mapping[str, Any], encoder: str) -> list[str]:
    low, high = expected["interval"]
    sign = "more than dense" if low > 0 else "fewer than dense" if high < 0 else "neither more nor fewer is shown"
    count = len(judged["benchmarks"])
    return [
        f"Expected of graph over dense (encoder={encoder}) by last_hop@5: {points(expected['expected'])} points (95% "
        f"{span(expected['interval'])}): {sign}.",
        f"This is a line through {count} measured benchmarks. Each left out in turn, it missed the gain by "
        f"{percent(judged['error'])} points on average (the mean of the others by {percent(judged['error_of_mean'])}); "
        f"{judged['covered']} of {count} intervals held it. What it goes by was chosen on these: on yours it may miss "
        "by more.",
    ]
