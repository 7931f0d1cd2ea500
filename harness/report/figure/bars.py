"""A table's rows as bars: tune light, test solid, with wins and losses (PhaseGraph Fig. 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.figure import COLORS, Built, Picture
from harness.report.table.comparison_table import ComparisonRow, ComparisonTable
from harness.sweep.folder import SweepResult
from harness.sweep.judge import Spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the first metric of every row of ``table`` on its first slice, with
    wins and losses.
    """
    compared = ComparisonTable.named(result, spec["table"], experiment)
    lines, where = first_slice(compared)
    labels = list(dict.fromkeys(line.label for line in lines))
    splits = list(dict.fromkeys(line.split for line in lines))
    metric = compared.metrics[0]
    base = {line.split: line.scores[0] for line in lines if line.label == compared.spec["against"]}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        height = 0.8 / max(len(splits), 1)
        for line in lines:
            shift = splits.index(line.split)
            y = labels.index(line.label) + (shift - (len(splits) - 1) / 2) * height
            shade = COLORS[0] if line.split == "test" else COLORS[5]
            seen = {patch.get_label() for patch in axes.containers}
            bar = axes.barh(
                y,
                100 * line.scores[0],
                height * 0.92,
                color=shade,
                label=line.split if line.split not in seen else None,
            )
            axes.bar_label(bar, [_label(line, base.get(line.split))], padding=2)
        axes.set_yticks(range(len(labels)), labels)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, 240)  # room for the texts next to the bars
        axes.set_xticks(range(0, 101, 50))
        axes.set_xlabel(f"{metric} (%)", loc="left")
        if len(splits) > 1:
            figure.legend(loc="outside upper right", ncols=2)

    said = (
        f"{where} Beside a bar: the score, W/L against {compared.spec['against']}, the difference."
    )
    notes = " ".join([said, *compared.notes])
    height = 0.8 + 0.17 * len(labels) * max(len(splits), 1)
    return Picture(spec["name"], compared.head, draw, height, notes), None


def first_slice(compared: ComparisonTable) -> tuple[list[ComparisonRow], str]:
    """Return the lines of a table's first slice, and the caption's words on its questions."""
    first = compared.lines[0].slice if compared.lines else ""
    lines = [line for line in compared.lines if line.slice == first]
    counts = ", ".join(dict.fromkeys(f"{line.split} n = {line.n}" for line in lines))
    return lines, f"Questions: {first} ({counts})."


def _label(line: ComparisonRow, base: float | None) -> str:
    if line.against is None or base is None:
        return f"{100 * line.scores[0]:.1f}"
    counts = f"{line.against.wins}W/{line.against.losses}L"
    return f"{100 * line.scores[0]:.1f}  {counts}  {100 * (line.scores[0] - base):+.1f}"
