"""The score of a perfect fuser in each pool, and that of the best trial."""

from __future__ import annotations

from typing import Any

from harness.core.table import Column, Table
from harness.sweep.folder import Row, View, caption


def ceiling(view: View) -> list[Table]:
    """Return the ceiling and the best trial of each pool on tune, smaller caps first; empty if
    nothing was fused.
    """
    rows: dict[tuple[bool, int, str], list[Any]] = {}
    for entry in view.manifest["ceiling"]:
        cap, names = entry["cap"], "+".join(entry["lists"])
        pool = ["all" if cap is None else str(cap), names, entry["share"]]
        fused = (view.rows[place] for place in view.fused)
        best = next((row for row in fused if _in_pool(row, cap, names)), None)
        trial = [None, None] if best is None else [best["name"], view.score(best)]
        rows[cap is None, cap or 0, names] = [*pool, *trial]
    columns = [
        Column("pool.cap", "text"),
        Column("lists", "text"),
        Column("ceiling %"),
        Column("best trial", "text"),
        Column(f"{view.objective} %"),
    ]
    notes = ["Ceiling: the share of questions whose last gold passage is anywhere in the pool."]
    title = f"What a perfect fuser would reach by pool on {view.half}"
    ordered = [rows[key] for key in sorted(rows)]
    table = Table("ceiling", title, columns, ordered, caption.source(view), notes)
    return [table] if rows else []


def _in_pool(row: Row, cap: int | None, names: str) -> bool:
    knobs = row["parameters"]
    lists = knobs.get("pool.lists")
    return knobs.get("pool.cap") == cap and (not lists or not names or "+".join(lists) == names)
