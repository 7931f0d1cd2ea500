"""The cost of each list: its index, its milliseconds for a question, and its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.artifact import Facts
from harness.core.table import Column, Table
from harness.sweep.folder import caption
from harness.sweep.folder.view import View

EXPLAINED = (
    "Index: the time to make a list's artifacts (texts read, names found, vectors, graph), once "
    "for a corpus; shared artifacts are counted for each list. p50 and p95: of up to 32 questions "
    "that were answered alone, one after another, with the mean time of a question's vector; a "
    "dash if a list was not timed so. Times are wall times of the machine that made them, which "
    "may have had other work"
)
COSTS = {"index_seconds": "index seconds", "alone_p50_ms": "p50 ms", "alone_p95_ms": "p95 ms"}
"""The columns of a list's costs, by key of a list in the manifest."""


def cost(view: View) -> list[Table]:
    """Return the single lists by milliseconds for a question.

    Args:
        view: every trial on tune, whose manifest has ``cost.lists``.

    Returns:
        The table; empty if the sweep recorded no costs.
    """
    facts = view.manifest.get("cost") or {}
    known: Mapping[str, Facts] = facts.get("lists") or {}
    if not known:
        return []
    objective = Column(f"{view.objective} %")
    rows: list[list[Any]] = []
    for name, costs in sorted(known.items(), key=lambda item: item[1]["query_ms"]):
        place = view.singles.get(name)
        score = None if place is None else view.score(view.rows[place])
        rows.append([name, score, *map(costs.get, COSTS)])
    spent = f"peak memory of the sweep's process {facts.get('peak_memory_mb', '?')} MiB"
    columns = [
        Column("list", "text"),
        objective,
        *(Column(title, "measured") for title in COSTS.values()),
    ]
    title, notes = f"What each list costs on {view.half}", [f"{EXPLAINED}; {spent}."]
    return [Table("cost", title, columns, rows, caption.source(view), notes)]
