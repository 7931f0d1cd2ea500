"""The objective against milliseconds a question: which strategies find more for what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from harness.report.figure import Picture, look
from harness.report.figure.frontier import frontier
from harness.report.table.cost import EXPLAINED, needed
from harness.sweep.folder import SweepResult, View, lists_read

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictures(result: SweepResult) -> Iterator[Picture]:
    """One figure, when two strategies at least say what their lists need: the locked trials, on test if held out."""
    view = result.locked
    found = points(view, needed(result.whole))
    if len(found) < 2:
        return
    families = sorted({family for _, family, _, _ in found})
    edge = frontier([(ms, share) for _, _, ms, share in found])
    caption = (
        f"{view.objective} against milliseconds a question, summed over a strategy's lists: {view.where}. "
        f"Line: the frontier, what nothing cheaper matches. {EXPLAINED}."
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.step([ms for ms, _ in edge], [100 * share for _, share in edge], where="post", color="black", lw=0.8)
        for number, name in enumerate(families):
            color, marker = look(number)
            mine = [(ms, 100 * share) for _, family, ms, share in found if family == name]
            x, y = zip(*mine, strict=True)
            axes.scatter(x, y, s=14, color=color, marker=marker, lw=0, label=name)
        for name, family, ms, share in found:
            if family == "single":
                axes.annotate(name, (ms, 100 * share), xytext=(3, 3), textcoords="offset points", fontsize=6)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter("")
        axes.margins(x=0.12)
        axes.set_xlabel("milliseconds a question")
        axes.set_ylabel(f"{view.objective} (%)")
        figure.legend(loc="outside upper center", ncols=3)

    yield Picture("cost", caption, draw, 2.7)


def points(view: View, known: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float, float]]:
    """(name, family, milliseconds, objective) of the rows whose lists all say what they need."""
    found = []
    for row in view.rows:
        names = lists_read(row)
        if names and all(name in known for name in names):
            found.append((row["name"], row["family"], sum(known[name]["query_ms"] for name in names), view.score(row)))
    return found
