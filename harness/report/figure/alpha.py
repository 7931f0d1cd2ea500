"""The objective against the reference's share alpha, with Wilson bands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.evaluation.statistic import wilson
from harness.fusion.context import default_anchor
from harness.report.figure import Picture, color_and_marker
from harness.sweep.folder import SweepResult, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = tuple[float, float, float, float]
"""alpha, the objective of its best trial, and the bounds of the 95% Wilson interval."""


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield one figure if the sweep varied alpha."""
    view, found = result.whole, curves(result.whole)
    if not found:
        return
    lists = [(name, view.score(view.rows[place])) for name, place in view.singles.items()]
    first = _shared(view)
    title = f"{view.objective} by alpha, {first}'s share"
    notes = (
        "Each point is the best trial of a fuser at that alpha, over its other knobs. Bands: its "
        "95% Wilson interval. "
        "Dashed: single lists."
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (family, curve) in enumerate(found.items()):
            alphas, shares, low, high = zip(*curve, strict=True)
            color, marker = color_and_marker(number)
            axes.fill_between(
                alphas,
                [100 * x for x in low],
                [100 * x for x in high],
                color=color,
                alpha=0.15,
                lw=0,
            )
            axes.plot(alphas, [100 * x for x in shares], marker=marker, color=color, label=family)
        for number, (name, share) in enumerate(lists):
            dashes = ((0, (4, 2)), (0, (1, 1)), (0, (4, 1, 1, 1)))[number % 3]
            axes.axhline(100 * share, color="black", lw=0.8, linestyle=dashes, label=name)
        figure.legend(loc="outside upper center", ncols=3)

    axes = f"alpha (share of {first})", f"{view.objective} (%)"
    yield Picture("alpha", title, draw, 2.7, notes, view.half, *axes)


def _shared(view: View) -> str:
    """Return the list, or lists, with share alpha."""
    chosen = [
        row["parameters"] for row in view.rows if row["parameters"].get("fuser.alpha") is not None
    ]
    lists = (
        one.get("reference") or default_anchor(one.get("pool.lists") or ["dense"]) for one in chosen
    )
    return " or ".join(dict.fromkeys(lists))


def curves(view: View) -> dict[str, list[Point]]:
    """Return the sorted points of each fuser; empty if the sweep did not vary alpha."""
    best: dict[str, dict[float, float]] = {}
    for row in view.rows:
        alpha = row["parameters"].get("fuser.alpha")
        if alpha is not None:
            curve = best.setdefault(row["family"], {})
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
