"""Does the fuser matter? The best trial of each fuser against the winner: different, equivalent, or
undecided.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.core.table import Column, Table
from harness.evaluation.comparison import Comparison, corrected
from harness.evaluation.metric import ABSENT
from harness.sweep.folder import View

INFORMATIVE = 0.05
"""Below this share of changed queries equivalence says nothing."""


def ablation(view: View) -> list[Table]:
    """The table; empty when fewer than two fusers were tried or the objective is not 0/1."""
    locked = {row["trial"] for row in view.lock["fusers"]} - {view.winner}
    places = [place for place, row in enumerate(view.rows) if row["trial"] in locked]
    if not places or not view.metric.binary:
        return []
    found = corrected([view.compare(place, view.winner_place) for place in places], view.evaluation)
    rows = [_row(view, *each) for each in zip(places, found, strict=True)]
    columns = [
        Column("best of each other fuser", "text"),
        Column("W", "count"),
        Column("L", "count"),
        Column("difference", "points"),
        Column("95% of difference", "span", "difference"),
        Column("Holm p", "p"),
        Column("verdict", "text"),
        Column("changed %"),
    ]
    notes = [
        f"Each fuser's best trial against the winner, {view.winner_name}. W and L: questions "
        "that it finds and the "
        "winner does not, and the reverse; difference in points with a score interval; Holm p: "
        "exact, corrected over the rows; both by cluster where questions share gold. Equivalent: "
        f"the whole interval lies within {100 * view.margin:g} points. "
        "Changed: questions whose gold passages in the top k the row, or the winner, changes "
        "against the single list "
        f"that both are nearest to; below {100 * INFORMATIVE:g}% two that copy one list are "
        "equivalent by "
        "construction, which is uninformative."
    ]
    title = f"The best trial of each fuser against the winner on {view.half}"
    return [Table("ablation", title, columns, rows, view.source, notes)]


def _row(view: View, place: int, found: Comparison) -> list[Any]:
    name, moved = view.rows[place]["name"], changed(view, place)
    numbers = [found.wins, found.losses, found.difference, found.interval, found.p_holm]
    return [name, *numbers, verdict(found, moved), moved]


def changed(view: View, place: int) -> float:
    """The share of queries on which a row or the winner has other gold passages in the top k than a
    single list has.

    The least of it over the single lists. k: the objective's depth. Told by the gold passages'
    places, so a change among other passages alone is not seen.
    """
    k = view.metric.k or ABSENT
    held = np.asarray(view.ranks) <= k
    pair = held[[place, view.winner_place]]
    shares = [
        float((pair != held[number]).any(axis=(0, 2)).mean()) for number in view.singles.values()
    ]
    return min(shares, default=1.0)


def verdict(found: Comparison, moved: float = 1.0) -> str:
    """What p and interval say together; a difference can be real and yet smaller than the margin.

    moved: as ``changed`` says; two that both copy one list are equivalent by construction.
    """
    if found.p_holm is None:
        return "too few clusters"
    if found.finding != "even":
        return "different, within the margin" if found.within_margin else "different"
    if not found.within_margin:
        return "undecided"
    return "equivalent" if moved >= INFORMATIVE else "uninformative"
