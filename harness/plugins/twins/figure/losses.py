"""What each single list loses on a benchmark's twins: by kind, a panel a benchmark, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.errors import HarnessError
from harness.evaluation.comparison import Comparison
from harness.evaluation.metric import Metric
from harness.plugins.twins.twin import KINDS
from harness.report.figure import Picture, look
from harness.report.figure.bars import build_figure
from harness.sweep.folder import SweepResult, View
from harness.sweep.judge import choose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["build_figure", "build_joint", "find_losses"]

WIDTH = 0.14
"""Of a kind's place on the x axis, between two lists."""


def build_joint(results: Sequence[SweepResult], spec: Mapping[str, Any]) -> Picture:
    """The change of the first metric of ``table`` from a benchmark to its twins, with Tango's 95% interval.

    On test where every sweep was held out, else on tune.

    results: sweeps of one experiment on benchmarks and their twins. One alone draws ``table`` as bars
    (``build_figure``). Raises HarnessError where a twin's own benchmark is missing.
    """
    table = next(table for table in results[0].config["experiment"]["tables"] if table["name"] == spec["table"])
    metric = Metric.parse(table["metrics"][0])
    found = find_losses(results, [row for row in table["rows"] if row["where"].get("fuser") == "single"], metric)
    extent = ", ".join(
        f"{name} (n = {next(iter(next(iter(kinds.values())).values())).n})" for name, kinds in found.items()
    )
    title = (
        f"{metric} of each list on a twin less that on the benchmark itself, in points, with Tango's 95% interval, on "
        f"{_views(results)[0].split}: {extent}"
    )

    def draw(figure: Figure) -> None:
        every = np.atleast_1d(figure.subplots(len(found), 1, sharey=True))
        lists = list(dict.fromkeys(label for kinds in found.values() for lists in kinds.values() for label in lists))
        shown = [kind for kind in KINDS if any(kind in kinds for kinds in found.values())]
        for axes, (name, kinds) in zip(every, found.items(), strict=True):
            axes.axhline(0, color="black", lw=0.6)
            axes.set_title(name)
            axes.set_xticks(range(len(shown)), shown if axes is every[-1] else [""] * len(shown), rotation=20)
            for number, label in enumerate(lists):
                mine = [(place, kinds[kind][label]) for place, kind in enumerate(shown) if label in kinds.get(kind, {})]
                x = [place + WIDTH * (number - (len(lists) - 1) / 2) for place, _ in mine]
                y = np.array([100 * one.difference for _, one in mine])
                ends = 100 * np.array([one.score_interval() or (np.nan, np.nan) for _, one in mine])
                color, marker = look(number)
                bars = np.abs(ends.reshape(-1, 2).T - y)
                axes.errorbar(x, y, bars, fmt=marker, color=color, lw=0.7, capsize=1.5, ms=3, label=label)
        figure.supylabel(f"{metric}: change (points)", fontsize="medium")
        figure.legend(*every[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)

    return Picture(f"{spec['name']}_joint", title, draw, 0.9 + 1.5 * len(found))


def find_losses(
    results: Sequence[SweepResult], rows: Sequence[Mapping[str, Any]], metric: Metric
) -> dict[str, dict[str, dict[str, Comparison]]]:
    """The comparison of each row on a twin with the same on its benchmark: by benchmark, kind of twin and label."""
    views = _views(results)
    originals = {
        view.dataset: view for view, one in zip(views, results, strict=True) if "of" not in one.config["dataset"]
    }
    found: dict[str, dict[str, dict[str, Comparison]]] = {}
    for view, result in zip(views, results, strict=True):
        described = result.config["dataset"]
        if "of" not in described:
            continue
        if (name := str(described["of"])) not in originals:
            raise HarnessError(f"{result.folder}: a twin of {name}, which no sweep here is of; sweep it and name both")
        ours, theirs = (
            {
                row["label"]: metric(one.ranks[place])
                for row, place in zip(rows, choose(rows, [row["parameters"] for row in one.rows]), strict=True)
                if place is not None
            }
            for one in (view, originals[name])
        )
        found.setdefault(name, {})[described["kind"]] = {
            label: Comparison.of(ours[label], theirs[label]) for label in ours if label in theirs
        }
    return found


def _views(results: Sequence[SweepResult]) -> list[View]:
    """Test of each where all were held out, else tune."""
    tests = [result.test for result in results if result.test]
    return tests if len(tests) == len(results) else [result.whole for result in results]
