"""The importance of knobs as bars, the share of variance that each explains;
below, interactions.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.core.table import counted
from harness.report.figure import COLORS, HATCHES, Picture
from harness.report.table.knobs import METHOD, pair_name, short_names, shown_pairs, value_text
from harness.sweep.folder import SweepResult
from harness.sweep.judge import of_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SHADES = (0, 5)
"""Indices in the palette of the colours of knobs and of pairs."""
ROOM = 1.45
"""Length of the axis relative to the longest bar, so that numbers do not overlap
the best values.
"""


@dataclass(frozen=True)
class Bar:
    """A knob or a pair of knobs; ``best`` is its value in the best trial, empty for a pair."""

    name: str
    share: float
    best: str
    paired: bool


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield one figure if any knob was varied."""
    view, found = result.whole, of_view(result.whole)
    if not found.main:
        return
    names, pairs = short_names(found), shown_pairs(found)
    bars = [
        Bar(names[one.knobs[0]], one.share, value_text(one.levels[0].value), paired=False)
        for one in found.main
    ]
    bars += [Bar(pair_name(one, names), one.share, "", paired=True) for one in pairs]
    label = f"share of the variance of {view.objective} (%)"
    title = f"Which knob matters, over {counted(len(view.fused), 'fusion')}"
    notes = f"{METHOD[found.full]}. Light bars: interactions of two knobs."
    draw, height = functools.partial(_draw, bars=bars), 0.7 + 0.19 * len(bars)
    yield Picture("knobs", title, draw, height, notes, view.half, x=label)


def _draw(figure: Figure, bars: Sequence[Bar]) -> None:
    axes = figure.subplots()
    shares = [100 * one.share for one in bars]
    axes.barh(
        range(len(bars)),
        shares,
        0.7,
        color=[COLORS[SHADES[one.paired]] for one in bars],
        hatch=[HATCHES[one.paired] for one in bars],
        edgecolor="white",
        lw=0.3,
    )
    for place, share in enumerate(shares):
        axes.annotate(
            f"{share:.1f}", (share, place), (3, 0), textcoords="offset points", va="center"
        )
    beside = axes.twinx()
    for side, texts in ((axes, [one.name for one in bars]), (beside, [one.best for one in bars])):
        side.set_yticks(range(len(bars)), texts)
        side.set_ylim(len(bars) - 0.4, -0.6)
        side.tick_params(axis="y", length=0)
    beside.spines[:].set_visible(False)
    axes.annotate("best value", (1, 1), (3, 3), "axes fraction", textcoords="offset points")
    axes.set_xlim(0, ROOM * max(shares))
