"""Outcomes by question: both find it, neither, only the winner, only the baseline (PhaseGraph Fig.
1).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from harness.core.escape import file_name
from harness.core.table import counted, p_value
from harness.evaluation.paired_comparison import Comparison
from harness.report.figure import COLORS, Picture, whole_numbers
from harness.sweep.folder import SweepResult, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHADES = {"both": 2, "neither": 7, "win": 0, "loss": 1}
"""Index of each outcome's colour in the palette."""
HATCHED = {"neither": "..", "loss": "///"}


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield the winner against the reference list, and against the best single list on tune if it
    differs.
    """
    view = result.locked
    for baseline, place in view.rivals.items():
        yield _picture(view, baseline, place)


def compare(view: View, baseline: int) -> Comparison:
    """Compare the winner with a row."""
    scores = (view.scores > 0).astype(np.float64)
    return Comparison.of(scores[view.winner_place], scores[baseline], labels=view.clusters)


def counts(found: Comparison) -> dict[str, int]:
    """Return the numbers of questions: both find it, neither, only the winner (win), only the
    baseline.
    """
    both = int((found.ours * found.theirs).sum())
    return {
        "both": both,
        "neither": found.n - both - found.wins - found.losses,
        "win": found.wins,
        "loss": found.losses,
    }


def _picture(view: View, baseline: str, place: int) -> Picture:
    compared = compare(view, place)
    found, differ = counts(compared), compared.wins + compared.losses > 0
    p, by = p_value(compared.p_deciding), " by cluster" if compared.shared else ""
    shown = f"p{by} {p}".replace("<", "< ") if p.startswith("<") else f"p{by} = {p}"
    shown = "too few clusters for a p" if compared.p_deciding is None else shown
    title = f"{view.winner_name} against {baseline}, question by question, by {view.objective}"
    test = "" if "cluster" in shown else " (exact McNemar)"
    alone = f"Of the questions that only one of them finds: {shown}{test}."
    notes = alone if differ else "They never differ."

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 2, width_ratios=[5, 2]) if differ else [figure.subplots()]
        titles = (
            f"all {counted(view.n, 'question')}",
            shown.replace(" by cluster", " by cluster\n"),
        )
        for axes, names, title in zip(panels, (list(found), ["win", "loss"]), titles, strict=False):
            for number, name in enumerate(names):
                shade = COLORS[SHADES[name]]
                bar = axes.bar(
                    number,
                    found[name],
                    0.7,
                    color=shade,
                    hatch=HATCHED.get(name),
                    edgecolor="white",
                )
                axes.bar_label(bar, padding=1)
            axes.set_xticks(range(len(names)), names)
            axes.set_ylim(0, 1.15 * max(1, *(found[name] for name in names)))
            axes.yaxis.set_major_locator(whole_numbers())
            axes.tick_params(axis="x", length=0)
            axes.set_title(title)

    return Picture(
        f"outcomes_{file_name(baseline)}", title, draw, 2.0, notes, view.half, y="questions"
    )
