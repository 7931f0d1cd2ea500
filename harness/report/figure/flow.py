"""Where queries are lost on the way to the top k, as a flow: retrieved, in the pool, found (after Sankey 1898)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.report.figure import COLORS, Picture
from harness.report.table.headroom import lost_by_winner
from harness.sweep.folder import SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GAP = 0.06


def pictures(result: SweepResult) -> Iterator[Picture]:
    """The winner's; none when it is a single list or the objective is not 0/1."""
    view = result.locked
    if not (lost := lost_by_winner(view)):
        return
    counted = ", ".join(f"{reason} {count}" for reason, count in lost.items())
    caption = (
        f"Where {view.winner_name} loses queries ({view.objective}): no fused list holds the gold passage, the "
        f"pool's cap cuts it, or other passages outrank it ({counted}). {view.where}."
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axis("off")
        left, low = view.n, 0.0
        shades = (COLORS[7], COLORS[4], COLORS[1])
        names = ["all", "retrieved", "in the pool", f"top {view.objective.partition('@')[2] or 'of the list'}"]
        for stage, ((reason, count), shade) in enumerate(zip(lost.items(), shades, strict=True)):
            kept = left - count
            _band(axes, stage, (1 - left / view.n, 1.0), (1 - kept / view.n, 1.0), COLORS[0], shift=count / view.n)
            low = 1 - left / view.n
            target = low - GAP * (1 + stage)
            _band(axes, stage, (low, low + count / view.n), (target, target + count / view.n), shade)
            if count:
                said = f"{reason}:\n{count}"
                axes.text(stage + 0.5, target - 0.02, said, ha="center", va="top", fontsize=7)
            left = kept
        for stage, name in enumerate(names):
            axes.text(stage, 1.03, name, ha="center", fontsize=7)
        axes.text(3.03, 1 - left / view.n / 2, f"found: {left} of {view.n}", va="center", fontsize=7)
        axes.set_xlim(-0.2, 4.4)
        axes.set_ylim(-0.4, 1.1)

    yield Picture("flow", caption, draw, 2.3)


def _band(
    axes: Axes, stage: int, start: tuple[float, float], end: tuple[float, float], shade: str, shift: float = 0.0
) -> None:
    """A band from ``stage`` to the next whose ends are intervals; the part of ``shift`` leaves at its start."""
    steps = [number / 40 for number in range(41)]
    eased = [3 * t**2 - 2 * t**3 for t in steps]
    low = [start[0] + shift + (end[0] - start[0] - shift) * t for t in eased]
    high = [start[1] + (end[1] - start[1]) * t for t in eased]
    axes.fill_between([stage + t for t in steps], low, high, color=shade, alpha=0.75, linewidth=0)
