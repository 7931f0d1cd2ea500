"""Wins against losses of all trials, with the frontier of trials that none beats in both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.core.table import counted
from harness.report.figure import Picture, color_and_marker, whole_numbers
from harness.report.table.list_costs import frontier
from harness.sweep.folder import SweepResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TICKS = (0, 2, 4, 6, 8, 10, 20, 50, 100, 200, 500)


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield one figure if there is a reference list."""
    view = result.whole
    rows = [row for row in view.rows if row["losses"] is not None and row["wins"] is not None]
    if not rows:
        return
    families: dict[str, list[tuple[int, int]]] = {}
    for row in sorted(rows, key=lambda row: str(row["family"])):
        families.setdefault(row["family"], []).append((int(row["losses"]), int(row["wins"])))
    every = [(int(row["losses"]), int(row["wins"])) for row in rows]
    winner = [point for point, row in zip(every, rows, strict=True) if row["trial"] == view.winner]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.step(*zip(*frontier(every), strict=True), where="post", color="black", lw=0.8)
        for number, (name, points) in enumerate(families.items()):
            color, marker = color_and_marker(number)
            losses, wins = zip(*points, strict=True)
            axes.scatter(
                losses, wins, s=12, alpha=0.6, lw=0, color=color, marker=marker, label=name
            )
        for lost, won in winner:
            axes.scatter(
                lost,
                won,
                s=90,
                marker="*",
                color="#F0E442",
                edgecolor="black",
                lw=0.7,
                label="winner",
                zorder=3,
            )
        # a single list may lose ten times as often as any fusion
        axes.set_xscale("symlog", linthresh=10, linscale=1.5)
        last = max(2, *(lost for lost, _ in every))
        shown = [tick for tick in TICKS if tick <= last]
        axes.set_xticks(shown, list(map(str, shown)), minor=False)
        axes.set_xticks([], minor=True)
        axes.set_xlim(-0.5, 1.15 * last)
        axes.yaxis.set_major_locator(whole_numbers())
        figure.legend(loc="outside upper center", ncols=3, columnspacing=0.5, handletextpad=0.1)

    title = (
        f"Wins and losses of {counted(len(every), 'trial')} against {view.reference}, by "
        f"{view.objective}"
    )
    notes = "Line: the frontier, trials that no other trial beats in both. Star: the winner."
    labels = f"questions lost to {view.reference}", f"questions won against {view.reference}"
    yield Picture("frontier", title, draw, 2.9, notes, view.half, *labels)
