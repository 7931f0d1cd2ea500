"""Outcomes by question: both find it, neither, only the winner, only the baseline (PhaseGraph Fig.
1).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from harness.core.escape import file_name
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statement import Statement
from harness.report.figure import COLORS, HATCHES, Picture, whole_numbers
from harness.sweep.folder.result import SweepResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield the winner against the reference list, and against the best single list on tune if it
    differs.
    """
    view = result.locked
    for baseline, comparison in view.tests.items():
        stated = Statement(comparison, view.winner_title, baseline)
        title = f"{view.winner_title} against {baseline}, question by question, by {view.objective}"
        yield Picture(
            f"outcomes_{file_name(baseline)}",
            title,
            partial(_draw, counts(comparison)),
            2.0,
            f"Difference: {stated.evidence}.",
            view.half,
            y="questions",
        )


def counts(comparison: Comparison) -> dict[str, int]:
    """Return the numbers of questions: both find it, neither, only the winner (win), only the
    baseline.
    """
    neither = int(((comparison.ours <= 0) & (comparison.theirs <= 0)).sum())
    both = comparison.n - neither - comparison.wins - comparison.losses
    return {"both": both, "neither": neither, "win": comparison.wins, "loss": comparison.losses}


def _draw(known: dict[str, int], figure: Figure) -> None:
    axes = figure.subplots()
    for number, (name, count) in enumerate(known.items()):
        bar = axes.bar(
            name, count, 0.7, color=COLORS[number], hatch=HATCHES[number], edgecolor="white"
        )
        axes.bar_label(bar, padding=1)
    axes.set_ylim(0, 1.15 * max(1, *known.values()))
    axes.yaxis.set_major_locator(whole_numbers())
    axes.tick_params(axis="x", length=0)
