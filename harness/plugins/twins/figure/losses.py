"""What each single list loses on a benchmark's twins: by kind, a panel a benchmark, with intervals."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.core.errors import HarnessError
from harness.evaluation.comparison import Comparison
from harness.evaluation.metric import Metric
from harness.plugins.twins.twin import KINDS
from harness.report.figure import Picture, look, mark_intervals
from harness.report.figure.bars import build_figure
from harness.sweep.folder import SweepResult, View
from harness.sweep.judge import Spec, find_trials

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["build_figure", "build_joint", "find_losses"]

Losses = dict[str, dict[str, dict[str, Comparison]]]
"""By benchmark, kind of twin and list."""
WIDTH = 0.14
"""Of a kind's place on the x axis, between two lists."""


def build_joint(results: Sequence[SweepResult], spec: Spec) -> Picture:
    """The change of the first metric of ``table`` from a benchmark to its twins, with Tango's 95% interval.

    On test where every sweep was held out, else on tune.

    results: sweeps of one experiment on benchmarks and their twins. One alone draws ``table`` as bars
    (``build_figure``). Raises HarnessError where a twin's own benchmark is missing.
    """
    table = next(table for table in results[0].config["experiment"]["tables"] if table["name"] == spec["table"])
    metric = Metric.parse(table["metrics"][0])
    found = find_losses(results, [row for row in table["rows"] if row["where"].get("fuser") == "single"], metric)
    sizes = {name: next(one for lists in kinds.values() for one in lists.values()).n for name, kinds in found.items()}
    extent = ", ".join(f"{name} (n = {n})" for name, n in sizes.items())
    title = (
        f"{metric} of each list on a twin less that on the benchmark itself, in points, with Tango's 95% interval, on "
        f"{_views(results)[0].split}: {extent}"
    )
    draw = functools.partial(_draw, found=found, label=f"{metric}: change (points)")
    return Picture(f"{spec['name']}_joint", title, draw, 0.9 + 1.5 * len(found))


def _draw(figure: Figure, found: Losses, label: str) -> None:
    every = np.atleast_1d(figure.subplots(len(found), 1, sharey=True))
    present = {kind for kinds in found.values() for kind in kinds}
    shown = [kind for kind in KINDS if kind in present]
    lists = list(dict.fromkeys(name for kinds in found.values() for lists in kinds.values() for name in lists))
    for axes, (name, kinds) in zip(every, found.items(), strict=True):
        axes.axhline(0, color="black", lw=0.6)
        axes.set_title(name)
        axes.set_xticks(range(len(shown)), [""] * len(shown))
        for number, own in enumerate(lists):
            mine = {place: kinds[kind][own] for place, kind in enumerate(shown) if own in kinds.get(kind, {})}
            _draw_list(axes, mine, number - (len(lists) - 1) / 2, label=own, look=look(number))
    every[-1].set_xticks(range(len(shown)), shown, rotation=20)
    figure.supylabel(label)
    figure.legend(*every[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


def _draw_list(axes: Axes, by_place: Mapping[int, Comparison], shift: float, label: str, look: tuple[str, str]) -> None:
    """shift: of the list from the place of each kind."""
    x = [place + WIDTH * shift for place in by_place]
    changes = [one.difference for one in by_place.values()], [one.score_interval() for one in by_place.values()]
    color, marker = look
    mark_intervals(axes, x, *changes, fmt=marker, color=color, lw=0.7, capsize=1.5, ms=3, label=label)


def find_losses(results: Sequence[SweepResult], rows: Sequence[Spec], metric: Metric) -> Losses:
    """The comparison of each row on a twin with the same on its benchmark."""
    views = _views(results)
    originals = {
        view.dataset: view for view, one in zip(views, results, strict=True) if "of" not in one.config["dataset"]
    }
    found: Losses = {}
    for view, result in zip(views, results, strict=True):
        described = result.config["dataset"]
        if "of" not in described:
            continue
        if (name := str(described["of"])) not in originals:
            raise HarnessError(f"{result.folder}: a twin of {name}, which no sweep here is of; sweep it and name both")
        ours, theirs = (
            {
                row["label"]: metric(one.ranks[place])
                for row, place in zip(rows, find_trials(rows, [row["parameters"] for row in one.rows]), strict=True)
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
