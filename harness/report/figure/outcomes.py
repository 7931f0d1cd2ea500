"""Per-query outcomes: both find the last hop, neither does, only the winner, only dense (PhaseGraph Fig. 1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from harness.report.figure import COLORS, Picture
from harness.report.text import p_value
from harness.report.view import View
from harness.statistic import mcnemar
from harness.sweep.result import SweepResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(result: SweepResult) -> Iterator[Picture]:
    """The winner against dense, and against the best single list on tune where that is another one."""
    view = View.of(result)
    for baseline in dict.fromkeys(["dense", result.lock.get("best_single")]):
        place = view.row_of(baseline) if baseline else None
        if place is not None and place != view.winner_place():
            yield _picture(view, str(baseline), place)


def counts(view: View, baseline: int) -> dict[str, int]:
    """How many queries both find, neither finds, only the winner finds (win), only the baseline finds (loss)."""
    scores: NDArray[np.bool_] = view.scores() > 0
    ours, theirs = scores[view.winner_place()], scores[baseline]
    return {
        "both": int((ours & theirs).sum()),
        "neither": int((~ours & ~theirs).sum()),
        "win": int((ours & ~theirs).sum()),
        "loss": int((~ours & theirs).sum()),
    }


def _picture(view: View, baseline: str, place: int) -> Picture:
    found = counts(view, place)
    p = p_value(float(mcnemar(found["win"], found["loss"])))
    told = f"p {p}".replace("<", "< ") if p.startswith("<") else f"p = {p}"
    winner = view.rows[view.winner_place()]["name"]
    times = f", evaluation {view.evaluation}" if view.evaluation else ""
    caption = (
        f"Per-query outcomes of {view.objective}, {winner} against {baseline}: {view.dataset}, {view.split} split "
        f"(n = {view.n}{times}). Left: all queries; right: wins and losses alone, {told} (McNemar)."
    )

    def draw(figure: Figure) -> None:
        from matplotlib.ticker import MaxNLocator

        left, right = figure.subplots(1, 2, width_ratios=[3, 2])
        shades = {"both": COLORS[2], "neither": COLORS[7], "win": COLORS[0], "loss": COLORS[1]}
        hatches = {"both": "", "neither": "..", "win": "", "loss": "///"}
        for axes, names in ((left, list(found)), (right, ["win", "loss"])):
            for number, name in enumerate(names):
                bar = axes.bar(number, found[name], 0.7, color=shades[name], hatch=hatches[name], edgecolor="white")
                axes.bar_label(bar, padding=1)
            axes.set_xticks(range(len(names)), names)
            axes.margins(y=0.15)
            axes.yaxis.set_major_locator(MaxNLocator(integer=True))
            axes.tick_params(axis="x", length=0)
        left.set_ylabel("queries")
        left.set_title(f"all {view.n}")
        right.set_title(told)

    return Picture(f"outcomes_{baseline}", caption, draw, 2.0)
