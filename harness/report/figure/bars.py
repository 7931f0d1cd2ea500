"""A table's rows as bars: tune light, test solid, wins and losses (PhaseGraph Fig. 4 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.figure import COLORS, Built, Picture
from harness.report.table.comparison_table import ComparisonTable
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.table_rows import Spec

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the first metric of every row of ``table`` on its first slice, with
    wins and losses.
    """
    compared = ComparisonTable.named(result, spec["table"], experiment)
    first = compared.lines[0].slice if compared.lines else ""
    lines = [line for line in compared.lines if line.slice == first]
    labels = list(dict.fromkeys(line.label for line in lines))
    splits = list(dict.fromkeys(line.split for line in lines))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        height = 0.8 / max(len(splits), 1)
        for number, split in enumerate(splits):
            of_split = [line for line in lines if line.split == split]
            shift = (number - (len(splits) - 1) / 2) * height
            color = COLORS[0] if split == "test" else COLORS[5]
            bars = axes.barh(
                [labels.index(line.label) + shift for line in of_split],
                [100 * line.scores[0] for line in of_split],
                height * 0.92,
                color=color,
                label=split,
            )
            texts = []
            for line in of_split:
                text = f"{100 * line.scores[0]:.1f}"
                if (pair := line.against) is not None:
                    text += f"  {pair.wins}W/{pair.losses}L  {100 * pair.difference:+.1f}"
                texts.append(text)
            axes.bar_label(bars, texts, padding=2)
        axes.set_yticks(range(len(labels)), labels)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.set_xlim(0, 240)  # room for the texts next to the bars
        axes.set_xticks(range(0, 101, 50))
        axes.set_xlabel(f"{compared.metrics[0]} (%)", loc="left")
        if len(splits) > 1:
            figure.legend(loc="outside upper right", ncols=2)

    counts = ", ".join(dict.fromkeys(f"{line.split} n = {line.n}" for line in lines))
    description = (
        f"Questions: {first} ({counts}). Beside a bar: the score, W/L against "
        f"{compared.spec['against']}, the difference."
    )
    height = 0.8 + 0.17 * len(labels) * max(len(splits), 1)
    notes = " ".join([description, *compared.notes])
    return Picture(
        spec["name"], compared.spec["title"], draw, height, notes, compared.source.extent
    ), None
