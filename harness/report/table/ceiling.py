"""The score of a perfect fuser: in each pool, and the part of its gain that each strategy has."""

from __future__ import annotations

import numpy as np

from harness.core.table import WINNER, Column, Table
from harness.evaluation.metric import ABSENT, Metric
from harness.report.table.knobs import value_text
from harness.sweep.folder import caption
from harness.sweep.folder.view import View


def ceiling(view: View) -> list[Table]:
    """Return the ceiling of each pool on tune, smaller caps first, and of the same cap the highest
    ceiling first; empty if nothing was fused.
    """
    pools = sorted(
        view.manifest["ceiling"],
        key=lambda pool: (pool["cap"] is None, pool["cap"] or 0, -pool["share"]),
    )
    rows = [[value_text(pool["cap"]), "+".join(pool["lists"]), pool["share"]] for pool in pools]
    columns = [Column("pool.cap", "text"), Column("lists", "text"), Column("ceiling %")]
    notes = ["Ceiling: the share of questions whose last gold passage is anywhere in the pool."]
    title = f"What a perfect fuser would reach by pool on {view.half}"
    table = Table("ceiling", title, columns, rows, caption.source(view), notes)
    return [table] if rows else []


def headroom(view: View) -> list[Table]:
    """Return the table; empty without single lists, or if the objective is not 0/1."""
    best = view.singles.get(str(view.best_single))
    if best is None or not view.metric.binary:
        return []
    fused = [place for place in view.best_first if place in view.fused]
    floor = view.score(view.rows[best])
    rows = []
    for place in fused:
        score, top = view.score(view.rows[place]), ceiling_of(view, place)
        taken = (score - floor) / (top - floor) if top > floor else None
        rows.append([view.named(place), score, top, taken])
    columns = [
        Column("strategy", "text"),
        Column(f"{view.objective} %"),
        Column("ceiling %"),
        Column("headroom taken %"),
    ]
    notes = [
        "Ceiling: any fused list contains the needed passages, so a perfect fuser without a cap "
        "finds them. Headroom taken: the gain over "
        f"{view.rows[best].name}, the best single list on tune ({100 * floor:.1f}), in percent of "
        "the gain that is possible. Bold: the best of a column. "
        f"{WINNER}: the winner that was locked on tune."
    ]
    marked = frozenset(row for row, place in enumerate(fused) if place == view.winner_place)
    title = f"What a perfect fuser would add on {view.half}"
    table = Table("headroom", title, columns, rows, caption.source(view), notes, marked)
    return [table.with_best(besides=["ceiling %"])]


def ceiling_of(view: View, place: int) -> float:
    """Return the share of questions for which a list that the row fuses has the needed passages.

    A row that names no lists fuses all of them.
    """
    known = [view.singles[name] for name in view.rows[place].lists if name in view.singles]
    ranks = np.asarray(view.ranks[known or [*view.singles.values()]]).min(axis=0)
    return float((Metric(view.metric.name, ABSENT - 1)(ranks) > 0).mean())
