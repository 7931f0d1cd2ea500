"""The tables and figures of a published experiment, as conf/experiment/<name>.yaml describes them.

The description is ``experiment`` in a sweep's configuration: ``source`` (where it was published), ``differs`` (what is
not the same here), ``tables`` and ``figures``. A table has ``rows`` (see harness.sweep.selection; with ``published``,
what was printed, by dataset and split), ``parts`` (several tables of rows, one below the other), ``graphs`` (statistics
of the lists' graphs) or ``summary`` (groups of trials). A figure's ``kind`` is a module of
harness.report.figure that has ``drawn``: ``heatmap`` of two lists of knobs, whose cells are a table too, ``bars`` of a
table's rows, or ``panels`` of their wins and metrics.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness.errors import one_of
from harness.report import figure
from harness.report.experiment.compared import Compared
from harness.report.experiment.fragments import fragments
from harness.report.experiment.stacked import stacked
from harness.report.experiment.summary import summary
from harness.report.figure import Drawn, Picture
from harness.report.table import Table
from harness.sweep.result import SweepResult

KINDS: Mapping[str, Callable[[SweepResult, Mapping[str, Any], Mapping[str, Any]], Table]] = {
    "rows": lambda result, spec, experiment: Compared(result, spec, experiment).table(),
    "parts": stacked,
    "graphs": fragments,
    "summary": summary,
}
"""What a table has, and what makes it of that."""


def tables(result: SweepResult) -> Iterator[Table]:
    """Every table of the sweep's experiment; none when the sweep is of no experiment."""
    experiment = _described(result)
    for spec in experiment.get("tables") or ():
        made = next(make for key, make in KINDS.items() if key in spec)
        yield made(result, spec, experiment)
    yield from (made.table for made in _drawn(result) if made.table)


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Every figure of the sweep's experiment."""
    yield from (made.picture for made in _drawn(result))


def drawer(name: str, kind: str) -> Any:
    """The function ``drawn`` of a kind of figure. Raises HarnessError for one that is not known."""
    modules = {info.name: f"{figure.__name__}.{info.name}" for info in pkgutil.iter_modules(figure.__path__)}
    found = importlib.import_module(modules[kind]) if kind in modules else None
    if not hasattr(found, "drawn"):
        known = [name for name, path in modules.items() if hasattr(importlib.import_module(path), "drawn")]
        one_of(f"experiment: figure {name}: kind", kind, known)
    return found.drawn  # type: ignore[union-attr]


def _drawn(result: SweepResult) -> Iterator[Drawn]:
    experiment = _described(result)
    for spec in experiment.get("figures") or ():
        yield drawer(spec["name"], spec["kind"])(result, spec, experiment)


def _described(result: SweepResult) -> Mapping[str, Any]:
    return result.config.get("experiment") or {}
