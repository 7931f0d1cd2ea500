"""The score of a perfect fuser in each pool, and that of the best trial."""

from __future__ import annotations

from typing import Any

from harness.core.table import Column, Table
from harness.sweep.folder import View, caption


def ceiling(view: View) -> list[Table]:
    """Return the ceiling and the best trial of each pool on tune, smaller caps first; empty if
    nothing was fused.
    """
    rows: dict[tuple[bool, int, str], list[Any]] = {}
    for entry in view.manifest["ceiling"]:
        cap, names = entry["cap"], "+".join(entry["lists"])
        trial: list[Any] = [None, None]
        for row in (view.rows[place] for place in view.fused):
            lists = row["parameters"].get("pool.lists")
            if row["parameters"].get("pool.cap") == cap and lists in (None, [], entry["lists"]):
                trial = [row["name"], view.score(row)]
                break
        pool = ["all" if cap is None else str(cap), names, entry["share"]]
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
