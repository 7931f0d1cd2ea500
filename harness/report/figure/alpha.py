"""The objective against dense's share alpha, with Wilson bands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.report.figure import Picture, look
from harness.report.view import View
from harness.statistic import wilson
from harness.sweep.result import SweepResult
from harness.tracking.entry import loaded, records

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(result: SweepResult) -> Iterator[Picture]:
    """One figure, when the sweep varied alpha."""
    best = curves(result)
    if not any(len(curve) > 1 for curve in best.values()):
        return
    view = View.tune(result)
    singles = result.trials[result.trials["family"] == "single"]
    lists = [(row["name"], row[view.objective]) for row in records(singles)]
    caption = (
        f"{view.objective} against dense's share alpha: {view.dataset}, tune split (n = {view.n}). At each alpha "
        "the best trial of each fuser over its other knobs; bands: 95% Wilson intervals of that trial; dashed: "
        "single lists."
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (family, curve) in enumerate(best.items()):
            alphas = sorted(curve)
            shares = [100 * curve[alpha] for alpha in alphas]
            low, high = zip(*(wilson(round(curve[alpha] * view.n), view.n) for alpha in alphas), strict=True)
            color, marker = look(number)
            axes.fill_between(alphas, [100 * x for x in low], [100 * x for x in high], color=color, alpha=0.15, lw=0)
            axes.plot(alphas, shares, marker=marker, color=color, label=family)
        for number, (name, share) in enumerate(lists):
            dashes = ((0, (4, 2)), (0, (1, 1)), (0, (4, 1, 1, 1)))[number % 3]
            axes.axhline(100 * share, color="black", lw=0.8, linestyle=dashes, label=name)
        axes.set_xlabel("alpha (share of dense)")
        axes.set_ylabel(f"{view.objective} (%)")
        figure.legend(loc="outside upper center", ncols=3)

    yield Picture("alpha", caption, draw, 2.7)


def curves(result: SweepResult) -> dict[str, dict[float, float]]:
    """{fuser: {alpha: the objective of its best trial there}}, fusers by name."""
    objective = result.manifest["objective"]
    best: dict[str, dict[float, float]] = {}
    for row in records(result.trials):
        alpha = loaded(row["parameters"]).get("fuser.alpha")
        if alpha is not None:
            curve = best.setdefault(row["family"], {})
            curve[alpha] = max(curve.get(alpha, 0.0), float(row[objective]))
    return dict(sorted(best.items()))
