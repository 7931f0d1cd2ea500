"""The possible gain of a better fusion, the part that each strategy has, and where questions are
lost.
"""

from __future__ import annotations

import numpy as np

from harness.core.arrays import BoolArray
from harness.core.table import Column, Table
from harness.evaluation.metric import ABSENT, Metric
from harness.sweep.folder import View, caption, lists_read

Outcomes = BoolArray
LOSSES = ("no list has it", "cut by the cap", "outranked")


def headroom(view: View) -> list[Table]:
    """Return the table; empty without single lists, or if the objective is not 0/1."""
    best = view.singles.get(str(view.best_single))
    if best is None or not view.metric.binary:
        return []
    fused, floor = view.fused, view.scores[best].mean()
    rows = []
    for place in fused:
        score, ceiling = view.scores[place].mean(), float(reached(view, place)[0].mean())
        taken = (score - floor) / (ceiling - floor) if ceiling > floor else None
        shares = [float(part.mean()) for part in losses(view, place).values()]
        rows.append(
            [
                view.rows[place]["name"],
                score,
                float(oracle(view, place).mean()),
                ceiling,
                taken,
                *shares,
            ]
        )
    columns = [
        Column("strategy", "text"),
        Column(f"{view.objective} %"),
        Column("best list by question %"),
        Column("ceiling %"),
        Column("headroom taken %"),
        *(Column(f"{name} %") for name in LOSSES),
    ]
    notes = [
        "Best list by question: an oracle picks, for each question, a list that finds it. "
        "Ceiling: any fused list contains the needed passages, so a perfect fuser without a cap "
        "finds them. Headroom taken: the share of the way from "
        f"{view.rows[best]['name']}, the best single list on tune ({100 * floor:.1f}), to the "
        "ceiling. The other columns give the reason why questions are lost: no fused list "
        "contains them, the cap (or the fuser's own restriction) removed them, or others are "
        "ranked higher. Bold: the winner that was locked on tune."
    ]
    marked = (
        frozenset({fused.index(view.winner_place)}) if view.winner_place in fused else frozenset()
    )
    title = f"What a perfect fuser would add on {view.half}"
    return [Table("headroom", title, columns, rows, caption.source(view), notes, marked)]


def losses(view: View, place: int) -> dict[str, Outcomes]:
    """Return bool[Q] by reason (``LOSSES``): the questions that a row does not find."""
    found = view.scores[place] > 0
    held, pooled = reached(view, place)
    return dict(
        zip(LOSSES, (~found & ~held, ~found & held & ~pooled, ~found & held & pooled), strict=True)
    )


def reached(view: View, place: int) -> tuple[Outcomes, Outcomes]:
    """Return whether the row's lists, and its fused list, contain the needed passages, bool[Q]
    each.
    """
    anywhere = Metric(view.metric.name, ABSENT - 1)
    lists = np.asarray(view.ranks[_lists(view, place)]).min(axis=0)
    return anywhere(lists) > 0, anywhere(np.asarray(view.ranks[place])) > 0


def oracle(view: View, place: int) -> Outcomes:
    """Return bool[Q], whether any of the row's lists finds the question by itself."""
    return np.asarray((view.scores[_lists(view, place)] > 0).any(axis=0))


def _lists(view: View, place: int) -> list[int]:
    """Return the indices of the single lists that a row fuses; all lists if it names none."""
    names = lists_read(view.rows[place])
    return [view.singles[name] for name in names if name in view.singles] or list(
        view.singles.values()
    )
