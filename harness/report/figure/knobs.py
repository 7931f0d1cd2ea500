"""Which knob matters: the share of the variance that each explains, as bars; below them the largest interactions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from harness.report.figure import COLORS, HATCHES, Picture
from harness.report.table.knobs import METHOD, pair_name, short_names, shown_pairs, value_text
from harness.sweep.folder import SweepResult
from harness.sweep.judge import of_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(result: SweepResult) -> Iterator[Picture]:
    """One figure, where any knob was varied."""
    view, found = result.whole, of_view(result.whole)
    if not found.main:
        return
    names, pairs = short_names(found), shown_pairs(found)
    bars = [(names[one.knobs[0]], one.share, value_text(one.levels[0].value)) for one in found.main]
    bars += [(pair_name(one, names), one.share, "") for one in pairs]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        shares = [100 * share for _, share, _ in bars]
        alone = [place < len(found.main) for place in range(len(bars))]
        axes.barh(
            range(len(bars)), shares, 0.7, color=[COLORS[0] if one else COLORS[5] for one in alone],
            hatch=[HATCHES[0] if one else HATCHES[1] for one in alone], edgecolor="white", lw=0.3,
        )  # fmt: skip
        for place, share in enumerate(shares):
            axes.annotate(f"{share:.1f}", (share, place), (3, 0), textcoords="offset points", va="center")
        beside = axes.twinx()
        for side, texts in ((axes, [name for name, _, _ in bars]), (beside, [best for _, _, best in bars])):
            side.set_yticks(range(len(bars)), texts)
            side.set_ylim(len(bars) - 0.4, -0.6)
            side.tick_params(axis="y", length=0)
        beside.spines[:].set_visible(False)
        axes.annotate("best value", (1, 1), (3, 3), "axes fraction", textcoords="offset points")
        axes.set_xlim(0, 1.3 * max(shares))
        axes.set_xlabel(f"share of the variance of {view.objective} (%)")

    title = f"Which knob matters, over {len(view.fused)} fusions: {view.where}"
    notes = (
        f"{METHOD[found.full]}. Best value: that of the best trial. Hatched: what two knobs explain together beyond "
        "each alone."
    )
    yield Picture("knobs", title, draw, 0.7 + 0.19 * len(bars), notes)
