"""Does the fuser matter? The best trial of each fuser against the winner: different, equivalent, or undecided."""

from __future__ import annotations

import numpy as np

from harness.metric import Metric, wins_losses
from harness.report.table import Column, Table
from harness.report.view import View
from harness.statistic import difference_interval, equivalence, holm, mcnemar
from harness.sweep.result import SweepResult

ALPHA = 0.05


def ablation(result: SweepResult) -> list[Table]:
    """The table; empty when fewer than two fusers were tried or the objective is not 0/1."""
    view = View.of(result)
    metric, margin = Metric.parse(view.objective), float(result.lock.get("margin", 0.02))
    locked = {row["trial"] for row in result.lock["fusers"]} - {view.winner}
    places = [place for place, row in enumerate(view.rows) if row["trial"] in locked]
    if not places or not metric.binary:
        return []
    won, lost = wins_losses(np.asarray(view.ranks)[places], np.asarray(view.ranks)[view.winner_place()], metric)
    counts = list(zip(won.sum(axis=1).tolist(), lost.sum(axis=1).tolist(), strict=True))
    corrected = holm([mcnemar(*pair) for pair in counts]).tolist()
    rows = []
    for place, (wins, losses), p in zip(places, counts, corrected, strict=True):
        same = equivalence(wins, losses, view.n, margin)
        interval = difference_interval(wins, losses, view.n, 1 - 2 * ALPHA)
        name = view.rows[place]["name"]
        rows.append([name, wins, losses, (wins - losses) / view.n, interval, p, same, verdict(p, same)])
    columns = [
        Column("best of each other fuser", "text"), Column("W", "count"), Column("L", "count"),
        Column("difference", "points"), Column("90% interval", "span"), Column("Holm p", "p"),
        Column("equivalence p", "p"), Column("verdict", "text"),
    ]  # fmt: skip
    said = (
        f"Does the fuser matter? Each fuser's best trial against the winner, {view.rows[view.winner_place()]['name']}. "
        f"{view.caption()} W and L: queries that it finds and the winner does not, and the reverse; difference in "
        f"points with Tango's score interval; Holm p: exact McNemar, corrected over the rows, small when they differ; "
        f"equivalence p: two one-sided score tests at a margin of {100 * margin:g} points, small when they do not."
    )
    return [Table("ablation", "Does the fuser matter?", said, columns, rows)]


def verdict(p: float, same: float) -> str:
    """What both tests together say; a difference can be real and yet smaller than the margin."""
    if p <= ALPHA:
        return "different, within the margin" if same <= ALPHA else "different"
    return "equivalent" if same <= ALPHA else "undecided"
