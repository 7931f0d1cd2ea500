"""The ceiling and the achieved score by pool cap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from harness.core.escape import file_name
from harness.report.figure import COLORS, Picture
from harness.report.table.ceiling import MEANING, Pool, capped_pools
from harness.sweep.folder import SweepResult, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield a figure for each set of lists whose pools have several caps."""
    for lists, pools in capped_pools(result.whole).items():
        yield _picture(result.whole, lists, pools)


def _picture(view: View, lists: str, rows: list[Pool]) -> Picture:
    title = (
        f"Ceiling of the pool of {lists or 'all lists'}, and the best {view.objective} reached, "
        "by pool cap"
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        caps = [row[0] for row in rows]
        reach, achieved = _percents(row[2] for row in rows), _percents(row[4] for row in rows)
        axes.plot(caps, reach, marker="^", color=COLORS[1], label="ceiling")
        axes.plot(
            caps,
            achieved,
            marker="o",
            color=COLORS[0],
            linestyle="--",
            label=f"best {view.objective}",
        )
        axes.set_ylim(0, 102)
        figure.legend(loc="outside upper center", ncols=2)

    name = (
        "ceiling"
        if lists in ("", "dense+graph")
        else f"ceiling_{file_name(lists.replace('+', '_'))}"
    )
    axes = "pool.cap (passages of each capped list)", "questions (%)"
    return Picture(name, title, draw, 2.2, f"Ceiling: {MEANING}.", view.half, *axes)


def _percents(shares: Iterable[float | None]) -> list[float]:
    return [float("nan") if share is None else 100 * share for share in shares]
