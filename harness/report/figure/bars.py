"""A table's rows as bars: tune light, test solid, wins and losses beside them (PhaseGraph Figs. 4 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.report.figure import COLORS, Picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from harness.report.experiment.compared import Compared


def bars(compared: Compared, name: str) -> Picture:
    """The first metric of every row on all queries."""
    first = compared.lines[0].slice if compared.lines else ""
    lines = [line for line in compared.lines if line.slice == first]
    labels = list(dict.fromkeys(line.label for line in lines))
    splits = list(dict.fromkeys(line.split for line in lines))
    metric = compared.metrics[0]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        height = 0.8 / max(len(splits), 1)
        for line in lines:
            shift = splits.index(line.split)
            y = labels.index(line.label) + (shift - (len(splits) - 1) / 2) * height
            shade = COLORS[0] if line.split == "test" else COLORS[5]
            seen = {patch.get_label() for patch in axes.containers}
            bar = axes.barh(y, 100 * line.scores[0], height * 0.92, color=shade,
                            label=line.split if line.split not in seen else None)  # fmt: skip
            told = f"{100 * line.scores[0]:.1f}" + ("" if line.wins is None else f"  {line.wins}W/{line.losses}L")
            axes.bar_label(bar, [told], padding=2, fontsize=5)
        axes.set_yticks(range(len(labels)), labels)
        axes.tick_params(axis="y", length=0, labelsize=6)
        axes.invert_yaxis()
        axes.set_xlim(0, 135)
        axes.set_xticks(range(0, 101, 20))
        axes.set_xlabel(f"{metric} (%)")
        if len(splits) > 1:
            figure.legend(loc="outside upper right", ncols=2)

    return Picture(name, compared.caption(), draw, 0.8 + 0.17 * len(labels) * max(len(splits), 1))
