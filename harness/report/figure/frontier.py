"""Wins against losses of all trials, with the frontier of trials that none beats in both."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from harness.core.table import counted
from harness.report.figure import Picture, color_and_marker, whole_numbers
from harness.report.table.list_costs import frontier
from harness.sweep.folder import Row, SweepResult, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Points = Sequence[tuple[int, int, Row]]
"""Losses and wins of trials, and their rows."""
TICKS = (0, 2, 4, 6, 8, 10, 20, 50, 100, 200, 500)


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield one figure if there is a reference list."""
    view, points = result.whole, outcomes(result.whole)
    if not points:
        return
    every = [point for mine in points.values() for point in mine]
    title = (
        f"Wins and losses of {counted(len(every), 'trial')} against {view.reference}, by "
        f"{view.objective}"
    )
    notes = "Line: the frontier, trials that no other trial beats in both. Star: the winner."
    axes = f"questions lost to {view.reference}", f"questions won against {view.reference}"
    yield Picture(
        "frontier", title, functools.partial(_draw, view, points), 2.9, notes, view.half, *axes
    )


def _draw(view: View, points: Mapping[str, Points], figure: Figure) -> None:
    every = [point for mine in points.values() for point in mine]
    axes = figure.subplots()
    edge = frontier([(lost, won) for lost, won, _ in every])
    axes.step(*zip(*edge, strict=True), where="post", color="black", lw=0.8, zorder=1)
    for number, (name, mine) in enumerate(points.items()):
        color, marker = color_and_marker(number)
        losses, wins, _ = zip(*mine, strict=True)
        axes.scatter(
            losses, wins, s=12, alpha=0.6, lw=0, color=color, marker=marker, label=name, zorder=2
        )
    for lost, won in ((lost, won) for lost, won, row in every if row["trial"] == view.winner):
        axes.scatter(
            lost,
            won,
            marker="*",
            s=90,
            color="#F0E442",
            edgecolor="black",
            lw=0.7,
            label="winner",
            zorder=3,
        )
    axes.set_xscale(
        "symlog", linthresh=10, linscale=1.5
    )  # a single list may lose ten times as often as any fusion
    last = max(lost for lost, _, _ in every)
    shown = [tick for tick in TICKS if tick <= max(last, 2)]
    axes.set_xticks(shown, [str(tick) for tick in shown], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlim(-0.5, max(1.15 * last, 2))
    axes.yaxis.set_major_locator(whole_numbers())
    figure.legend(loc="outside upper center", ncols=3, columnspacing=0.5, handletextpad=0.1)


def outcomes(view: View) -> dict[str, list[tuple[int, int, Row]]]:
    """Return by fuser the losses and wins of each trial that has any, sorted, with its row."""
    found: dict[str, list[tuple[int, int, Row]]] = {}
    for row in view.rows:
        if row["losses"] is not None and row["wins"] is not None:
            found.setdefault(row["family"], []).append((int(row["losses"]), int(row["wins"]), row))
    return dict(sorted(found.items()))
