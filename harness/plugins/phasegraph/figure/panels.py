"""A table's rows in two panels: (a) wins and losses, (b) two metrics (PhaseGraph Fig. 6)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.report.figure import COLORS, HATCHES, Built, Picture
from harness.report.figure.bars import first_slice
from harness.report.table import ComparisonTable
from harness.sweep.folder import SweepResult
from harness.sweep.judge import Spec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.report.table import ComparisonRow


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the panels of ``table`` on its first slice, of test if it was held out, otherwise of
    tune.
    """
    compared = ComparisonTable.named(result, spec["table"], experiment)
    lines, _ = first_slice(compared)
    split = lines[-1].split if lines else "tune"
    mine = [line for line in lines if line.split == split]
    metrics = [str(metric) for metric in compared.metrics[:2]]

    of = (
        f"Questions: {mine[0].slice if mine else ''}, {split} split (n = "
        f"{mine[0].n if mine else 0})."
    )
    notes = " ".join([of, *compared.notes])
    return Picture(
        spec["name"],
        compared.head,
        functools.partial(_draw, mine, metrics, str(compared.spec["against"])),
        1.8 + 0.46 * len(mine),
        notes,
    ), None


def _draw(
    lines: Sequence[ComparisonRow], metrics: Sequence[str], reference: str, figure: Figure
) -> None:
    top, bottom = figure.subplots(2, 1)
    against = {line: line.against for line in lines if line.against is not None}
    counts = [[one.wins for one in against.values()], [one.losses for one in against.values()]]
    _pairs(top, list(against), counts, ".0f")
    top.set_xlabel(f"questions, against {reference}")
    _head(top, "(a)", ["wins", "losses"])
    _pairs(
        bottom,
        lines,
        [[100 * line.scores[place] for line in lines] for place in range(len(metrics))],
        ".1f",
    )
    bottom.set_xlabel("questions (%)")
    _head(bottom, "(b)", metrics)


def _head(axes: Axes, name: str, labels: Sequence[str]) -> None:
    axes.set_title(name, loc="left")
    axes.legend(
        axes.containers, labels, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderpad=0
    )


def _pairs(
    axes: Axes, lines: Sequence[ComparisonRow], values: Sequence[Sequence[float]], form: str
) -> None:
    """Draw two bars per row, distinguished by colour and hatching, each with its value."""
    height = 0.8 / max(len(values), 1)
    for number, row in enumerate(values):
        places = [place + (number - (len(values) - 1) / 2) * height for place in range(len(lines))]
        bar = axes.barh(
            places,
            row,
            height,
            color=COLORS[number],
            hatch=HATCHES[number],
            edgecolor="white",
            lw=0.3,
        )
        axes.bar_label(bar, [f"{value:{form}}" for value in row], padding=2)
    axes.set_yticks(range(len(lines)), [line.label for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.18)
    axes.invert_yaxis()
