"""A figure of runs against their baseline: differences with 95% intervals, wins and losses."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.evaluation.system_comparison import SystemComparison
from harness.report.figure import COLORS, Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def picture(found: Sequence[SystemComparison], name: str) -> Picture:
    """Return the figure of the comparisons of one call: a row for each run and metric, the first on
    top.
    """
    first = found[0]
    metrics = list(dict.fromkeys(str(one.metric) for one in found))
    baselines = list(dict.fromkeys(one.baseline for one in found))
    base = baselines[0] if len(baselines) == 1 else "each baseline"
    template = (
        "{0.name}" + " to {0.baseline}" * (len(baselines) > 1) + ", {0.metric}" * (len(metrics) > 1)
    )
    labels = [template.format(one) for one in found]
    only = f"{metrics[0]}, " if len(metrics) == 1 else ""
    label = f"{only}{'points' if first.scale.share else 'difference'} from {base}"
    scores = ", ".join(f"{one.name} {one.scale.number(one.score)} by {one.metric}" for one in found)
    title = f"Difference from {base} with 95% intervals: {first.extent(first.n)}"
    notes = (
        f"{scores}. Blue: p at most .05 after Holm's correction; W and L: questions won and lost."
    )
    return Picture(
        name,
        title,
        functools.partial(_draw, found=found, labels=labels, label=label),
        0.7 + 0.22 * len(found),
        notes,
    )


def _draw(
    figure: Figure, found: Sequence[SystemComparison], labels: Sequence[str], label: str
) -> None:
    """Draw the rows with their labels; ``label`` is that of the x axis."""
    factor = 100 if found[0].scale.share else 1
    axes = figure.subplots()
    axes.axvline(0, color="#999999", linewidth=0.6, zorder=0)
    for row, one in enumerate(found):
        colour = COLORS[0] if one.finding != "even" else COLORS[7]
        if one.interval is not None:
            axes.plot([factor * end for end in one.interval], [row, row], color=colour)
        axes.plot([factor * one.difference], [row], marker="o", color=colour)
    beside = axes.twinx()
    for side, texts in ((axes, labels), (beside, [f"{one.wins}W/{one.losses}L" for one in found])):
        side.set_yticks(range(len(found)), texts)
        side.set_ylim(len(found) - 0.5, -0.5)
        side.tick_params(axis="y", length=0)
    axes.set_xlabel(label)
