"""The score of a perfect fuser in each pool, and that of the best trial."""

from __future__ import annotations

from harness.core.table import Column, Table
from harness.sweep.folder import Row, View, caption

Pool = tuple[str, str, float | None, str | None, float | None]
"""The cap, the lists, the ceiling, the best trial and its objective."""
MEANING = "the share of questions whose last gold passage is anywhere in the pool"


def ceiling(view: View) -> list[Table]:
    """Return the ceiling and the best trial of each pool on tune; empty if nothing was fused."""
    columns = [
        Column("pool.cap", "text"),
        Column("lists", "text"),
        Column("ceiling %"),
        Column("best trial", "text"),
        Column(f"{view.objective} %"),
    ]
    rows = ceilings(view)
    notes = [f"Ceiling: {MEANING}."]
    title = f"What a perfect fuser would reach by pool on {view.half}"
    return [Table("ceiling", title, columns, rows, caption.source(view), notes)] if rows else []


def capped_pools(view: View) -> dict[str, list[Pool]]:
    """Return the pools of each set of lists that have several caps."""
    found: dict[str, list[Pool]] = {}
    for pool in ceilings(view):
        found.setdefault(pool[1], []).append(pool)
    return {lists: pools for lists, pools in found.items() if len(pools) > 1}


def ceilings(view: View) -> list[Pool]:
    """Return each pool, smaller caps first."""
    found = {}
    for entry in view.manifest["ceiling"]:
        cap, names = entry["cap"], "+".join(entry["lists"])
        fused = (view.rows[place] for place in view.fused)
        best = next((row for row in fused if _in_pool(row, cap, names)), None)
        named, score = (best["name"], view.score(best)) if best else (None, None)
        found[cap is None, cap or 0, names] = (
            "all" if cap is None else str(cap),
            names,
            entry["share"],
            named,
            score,
        )
    return [found[key] for key in sorted(found)]


def _in_pool(row: Row, cap: int | None, names: str) -> bool:
    knobs = row["parameters"]
    lists = knobs.get("pool.lists")
    return knobs.get("pool.cap") == cap and (not lists or not names or "+".join(lists) == names)
