"""The objective against the reference's share alpha, with Wilson bands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from harness.evaluation.statistic import wilson
from harness.report.figure import Picture, color_and_marker
from harness.sweep.folder import SweepResult, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ((0, (4, 2)), (0, (1, 1)), (0, (4, 1, 1, 1)))
Point = tuple[float, float, float, float]
"""alpha, the objective of its best trial, and the bounds of the 95% Wilson interval."""


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield one figure if the sweep varied alpha."""
    view, found = result.whole, curves(result.whole)
    if not found:
        return
    lists = {name: view.score(view.rows[place]) for name, place in view.singles.items()}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (family, curve) in enumerate(found.items()):
            alphas, *shares = np.array(curve).T
            share, low, high = 100 * np.array(shares)
            color, marker = color_and_marker(number)
            axes.fill_between(alphas, low, high, color=color, alpha=0.15, lw=0)
            axes.plot(alphas, share, marker=marker, color=color, label=family)
        for (name, score), dashes in zip(lists.items(), itertools.cycle(DASHES), strict=False):
            axes.axhline(100 * score, color="black", lw=0.8, linestyle=dashes, label=name)
        figure.legend(loc="outside upper center", ncols=3)

    title = f"{view.objective} by alpha, {view.reference}'s share"
    notes = (
        "Each point is the best trial of a fuser at that alpha, over its other knobs. Bands: its "
        "95% Wilson interval. Dashed: single lists."
    )
    axes = f"alpha (share of {view.reference})", f"{view.objective} (%)"
    yield Picture("alpha", title, draw, 2.7, notes, view.half, *axes)


def curves(view: View) -> dict[str, list[Point]]:
    """Return the sorted points of each fuser; empty if the sweep did not vary alpha."""
    best: dict[str, dict[float, float]] = {}
    for row in view.rows:
        alpha = row.parameters.get("fuser.alpha")
        if alpha is not None:
            curve = best.setdefault(row.family, {})
            curve[alpha] = max(curve.get(alpha, 0.0), view.score(row))
    if not any(len(curve) > 1 for curve in best.values()):
        return {}
    return {
        family: [
            (alpha, share, *wilson(round(share * view.n), view.n))
            for alpha, share in sorted(curve.items())
        ]
        for family, curve in sorted(best.items())
    }
