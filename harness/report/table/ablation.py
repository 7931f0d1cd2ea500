"""The best trial of each fuser against the winner: worse, equivalent, or undecided."""

from __future__ import annotations

import numpy as np

from harness.core.table import Column, Field, Table
from harness.evaluation.column import BY_CLUSTER, DIFFERENCE, judged, won_lost
from harness.evaluation.family import Family
from harness.evaluation.metric import ABSENT
from harness.evaluation.statement import Statement
from harness.sweep.folder import caption
from harness.sweep.folder.view import View

INFORMATIVE = 0.05
"""Share of changed questions below which equivalence has no meaning."""


def ablation(view: View) -> list[Table]:
    """Return the table; empty with fewer than two fusers, or if the objective is not 0/1."""
    locked = {row["trial"] for row in view.lock["fusers"]} - {view.winner}
    places = [place for place in view.best_first if view.rows[place].trial in locked]
    if not places or not view.metric.binary:
        return []
    compared = Family.of(
        [view.compare(place, view.winner_place) for place in places], view.evaluation
    )
    stated = {
        place: Statement(comparison, view.rows[place].name, view.winner_title)
        for place, comparison in zip(places, compared, strict=True)
    }
    moved = {place: changed(view, place) for place in places}
    titles = ("W", "L", "difference", "95% of difference", "Holm p")
    fields: list[Field[int]] = [
        Field(Column("best of each other fuser", "text"), lambda place: stated[place].who),
        *judged(lambda place: stated[place].comparison, *titles),
        Field(Column("verdict", "text"), lambda place: verdict(stated[place], moved[place])),
        Field(Column("changed %"), moved.get),
    ]
    notes = [
        f"The winner: {view.winner_title}. {won_lost('the row', 'the winner')}; {DIFFERENCE}; "
        f"Holm p: over the rows. {BY_CLUSTER}. Equivalent: the whole interval lies within "
        f"{100 * view.margin:g} points. Changed: share of questions for which the row or "
        "the winner moves gold passages into or out of the top k of the nearest single list; "
        f"below {100 * INFORMATIVE:g}% both copy one list, so they are equivalent by construction "
        "and the verdict means nothing."
    ]
    title = f"The best trial of each fuser against the winner on {view.half}"
    return [Table.of("ablation", title, fields, places, caption.source(view), notes)]


def changed(view: View, place: int) -> float:
    """Return the share of questions on which a row or the winner differs from a single list.

    It is the smallest share over the single lists. A question differs if other gold passages are in
    the top k, the objective's depth; changes among other passages do not count.
    """
    k = view.metric.k or ABSENT
    held = np.asarray(view.ranks) <= k
    pair = held[[place, view.winner_place]]
    shares = [
        float((pair != held[number]).any(axis=(0, 2)).mean()) for number in view.singles.values()
    ]
    return min(shares, default=1.0)


def verdict(stated: Statement, moved: float = 1.0) -> str:
    """Return what is shown; ``uninformative`` if two trials are equivalent by construction.

    Args:
        stated: the statement about the row.
        moved: the result of ``changed``; it is small for two trials that copy one list.
    """
    return "uninformative" if stated.cell == "equivalent" and moved < INFORMATIVE else stated.cell
