"""What links a corpus, how far last hops lie from what questions name, and what that lets expect of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.core.table import counted, points, span
from harness.plugins.twins.analysis.linkage_gain import Expected
from harness.plugins.twins.console.linkage_tables import Linkage
from harness.report.figure import COLORS, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def linkage_picture(found: Linkage, encoder: str, name: str) -> Picture:
    """The figure of what `harness linkage` found: passages linked, last hops by steps, the expected gain.

    Panels for which there is no gold, or no hop order, are left out.    encoder: of the measured benchmarks.
    """
    kinds = list(found["links"])
    panels = [("linked passages (%)", kinds, [found["links"][kind]["linked"] for kind in kinds])]
    passages = counted(found["passages"], "passage")
    caption = f"{found['dataset']}, {passages}: those that are linked to another, by kind of link"
    start = found["start"]
    near = [step["last"] for step in start["steps"].values() if step["last"] is not None] if start else []
    if start and near:
        panels.append(("last hops (%)", [*map(str, range(len(near))), "more"], [*near, 1 - sum(near)]))
        caption += (
            f"; last hops of {counted(start['questions'], 'question')} (split {found['split']}) by their steps from a "
            "passage whose title the question names"
        )
    expected = (found.get("expected") or {}).get(found["dataset"])
    if expected:
        caption += (
            f"; last_hop@5 of graph less dense (encoder={encoder}) over the share one step away: measured benchmarks, "
            f"and what they let expect here, {points(expected['expected'])} points (95% {span(expected['interval'])})"
        )

    def draw(figure: Figure) -> None:
        every = np.atleast_1d(figure.subplots(len(panels) + bool(expected), 1))
        for axes, (label, names, shares) in zip(every, panels, strict=False):
            _bars(axes, label, names, shares)
        if expected:
            every[len(panels) - 1].set_xlabel("steps from a named title")
            _line(every[-1], found["dataset"], expected, found["judged"]["benchmarks"])

    return Picture(name, caption, draw, 1.2 * len(panels) + (2.0 if expected else 0.0))


def _bars(axes: Axes, label: str, names: Sequence[str], shares: Sequence[float]) -> None:
    bars = axes.bar(range(len(names)), [100 * share for share in shares], width=0.6, color=COLORS[0])
    axes.bar_label(bars, [f"{100 * share:.1f}" for share in shares])
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 115)
    axes.set_ylabel(label)


def _line(axes: Axes, own: str, expected: Expected, measured: Mapping[str, Expected]) -> None:
    others = {name: row for name, row in measured.items() if name != own}
    axes.axhline(0, color="black", lw=0.6)
    slope = expected["expected"] / expected["share"] if expected["share"] else 0.0
    furthest = max(expected["share"], *(row["share"] for row in others.values()))
    axes.plot([0, 100 * furthest], [0, 100 * slope * furthest], color=COLORS[7], lw=0.8)
    for name, row in others.items():
        axes.plot([100 * row["share"]], [100 * row["gain"]], marker="o", color=COLORS[7])
        axes.annotate(name, (100 * row["share"], 100 * row["gain"]), (3, -8), textcoords="offset points")
    x, (low, high) = 100 * expected["share"], expected["interval"]
    axes.plot([x, x], [100 * low, 100 * high], color=COLORS[1])
    axes.plot([x], [100 * expected["expected"]], marker="D", color=COLORS[1], label=own)
    axes.legend(loc="lower right")
    axes.set_xlabel("last hops one step away (%)")
    axes.set_ylabel("graph less dense (points)")
