"""A table's rows in two panels: (a) wins and losses, (b) two metrics (PhaseGraph Fig. 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.report.experiment.compared import Compared
from harness.report.figure import COLORS, HATCHES, Drawn, Picture
from harness.report.figure.bars import shown
from harness.sweep.result import SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.report.experiment.compared import Line


def drawn(result: SweepResult, spec: Mapping[str, Any], experiment: Mapping[str, Any]) -> Drawn:
    """The panels of ``table``, on its first slice: of test when it was held out, else of tune."""
    compared = Compared.named(result, spec["table"], experiment)
    lines, _ = shown(compared)
    split = lines[-1].split if lines else "tune"
    mine = [line for line in lines if line.split == split]
    metrics = [str(metric) for metric in compared.metrics[:2]]

    def draw(figure: Figure) -> None:
        top, bottom = figure.subplots(2, 1)
        against = [line for line in mine if line.wins is not None]
        _pairs(top, against, [[line.wins or 0 for line in against], [line.losses or 0 for line in against]], ".0f")
        top.set_xlabel(f"queries, against {compared.spec['against']}")
        top.set_title("(a) wins and losses")
        top.legend(top.containers, ["wins", "losses"], loc="upper center", bbox_to_anchor=(0.35, -0.16), ncols=2)
        _pairs(bottom, mine, [[100 * line.scores[place] for line in mine] for place in range(len(metrics))], ".1f")
        bottom.set_xlabel("queries (%)")
        bottom.set_title("(b) retrieval")
        bottom.legend(bottom.containers, metrics, loc="upper center", bbox_to_anchor=(0.35, -0.14), ncols=2)

    caption = f"Queries: {mine[0].slice if mine else ''}, {split} split (n = {mine[0].n if mine else 0}). "
    return Drawn(Picture(spec["name"], caption + compared.caption(), draw, 1.6 + 0.4 * len(mine)))


def _pairs(axes: Axes, lines: list[Line], values: list[list[float]], form: str) -> None:
    """Two bars a row, told apart by colour and hatching, each with its value."""
    height = 0.8 / max(len(values), 1)
    for number, row in enumerate(values):
        places = [place + (number - (len(values) - 1) / 2) * height for place in range(len(lines))]
        bar = axes.barh(places, row, height, color=COLORS[number], hatch=HATCHES[number], edgecolor="white", lw=0.3)
        axes.bar_label(bar, [f"{value:{form}}" for value in row], padding=2, fontsize=6)
    axes.set_yticks(range(len(lines)), [line.label for line in lines])
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.12)
    axes.invert_yaxis()
