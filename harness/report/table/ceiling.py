"""The score of a perfect fuser in each pool."""

from __future__ import annotations

from harness.core.table import Column, Table
from harness.report.table.knobs import value_text
from harness.sweep.folder import caption
from harness.sweep.folder.view import View


def ceiling(view: View) -> list[Table]:
    """Return the ceiling of each pool on tune, smaller caps first, and of the same cap the highest
    ceiling first; empty if nothing was fused.
    """
    pools = sorted(
        view.manifest["ceiling"],
        key=lambda one: (one["cap"] is None, one["cap"] or 0, -one["share"]),
    )
    rows = [[value_text(one["cap"]), "+".join(one["lists"]), one["share"]] for one in pools]
    columns = [Column("pool.cap", "text"), Column("lists", "text"), Column("ceiling %")]
    notes = ["Ceiling: the share of questions whose last gold passage is anywhere in the pool."]
    title = f"What a perfect fuser would reach by pool on {view.half}"
    table = Table("ceiling", title, columns, rows, caption.source(view), notes)
    return [table] if rows else []
