"""The tables and figures of a published experiment, described by conf/experiment/<name>.yaml.

The description is ``experiment`` in a sweep's configuration: ``source`` (the publication) and
``differs`` (differences from it), which may be left out, ``tables`` and ``figures``. A table or
figure may have its own of these, and ``blocks``, the blocks of the grid that it shows. A table has
``rows`` (see sweep/judge/table_rows.py; ``published`` has the printed numbers by dataset and split;
``objective`` is the metric that chooses them, in place of the sweep's),
``parts`` (several tables of rows, one below the other), ``graphs`` (statistics of the lists'
graphs) or ``summary`` (groups of trials). A figure's ``kind`` is a module of
harness.report.figure with a function ``build_figure``: ``heatmap`` of two lists of knobs, whose
cells are also a table, or ``bars`` of a table's rows. A plug-in's folder ``figure`` adds others. A
kind with ``build_joint`` also draws several benchmarks at once.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.core.configuration import extensions
from harness.core.errors import HarnessError, one_of
from harness.core.table import Table
from harness.report import figure
from harness.report.experiment.description import read_experiment as read_experiment
from harness.report.experiment.tables import fragmentation, parts_table, summary
from harness.report.figure import Picture
from harness.report.table.comparison_table import ComparisonTable, publication
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.table_rows import Spec, described_errors

TABLES: Mapping[str, Callable[[SweepResult, Spec, Spec], Table]] = {
    "rows": lambda result, spec, experiment: ComparisonTable(result, spec, experiment).table(),
    "parts": parts_table,
    "graphs": fragmentation,
    "summary": summary,
}
"""The key of a table's description, and the function that makes it."""


def build_experiment(result: SweepResult) -> tuple[list[Table], list[Picture]]:
    """Return the tables and figures of the sweep's experiment; none without an experiment."""
    tables, figures = _built(result, "tables", _table), _built(result, "figures", _figure)
    return [*tables, *(table for _, table in figures if table)], [picture for picture, _ in figures]


def table_names(result: SweepResult) -> list[str]:
    """Return the names of the tables of the sweep's experiment."""
    return [str(spec["name"]) for spec in _described(result).get("tables") or ()]


def build_table(result: SweepResult, name: str) -> Table:
    """Return a table of the sweep's experiment; raise HarnessError if it has none of that name."""
    known = table_names(result)
    if not known:
        raise HarnessError(
            f"{result.folder}: table={name}: this sweep has no tables of an experiment; give one "
            "that has: harness report sweep=DIR, of `harness sweep experiment=NAME`"
        )
    one_of("table", name, known)
    table: Table = _built(result, "tables", _table, name)[0]
    return table


def _described(result: SweepResult) -> Spec:
    """Return the description of the sweep's experiment; empty for none."""
    return read_experiment(result.config.get("experiment"), str(result.folder / "config.yaml"))


def _built(
    result: SweepResult,
    kind: str,
    build: Callable[[SweepResult, Spec, Spec], Any],
    name: str | None = None,
) -> list[Any]:
    """Return the tables or figures of the sweep's experiment, or those of a name."""
    experiment = _described(result)
    items = []
    for at, spec in enumerate(experiment.get(kind) or ()):
        with described_errors(f"{result.folder / 'config.yaml'}: experiment.{kind}.{at}"):
            if name in (None, spec["name"]):
                items.append(build(result, spec, publication(experiment, spec)))
    return items


def joint_figures(results: Sequence[SweepResult]) -> list[Picture]:
    """Return figures of several sweeps of one experiment, of kinds with ``build_joint``."""
    if len(results) < 2:
        return []
    experiment = results[0].config.get("experiment") or {}
    drawn = []
    for number, spec in enumerate(experiment.get("figures") or ()):
        with described_errors(f"{results[0].folder / 'config.yaml'}: experiment.figures.{number}"):
            if build := getattr(_module(spec["name"], spec["kind"]), "build_joint", None):
                drawn.append(build(results, spec))
    return drawn


def _table(result: SweepResult, spec: Spec, experiment: Spec) -> Table:
    kind = next((key for key in TABLES if key in spec), " or ".join(TABLES))
    return TABLES[kind](result, spec, experiment)


def figure_builder(name: str, kind: str) -> Any:
    """Return the function ``build_figure`` of a kind of figure; raise HarnessError if it is not
    known.
    """
    return _module(name, kind).build_figure


def _figure(result: SweepResult, spec: Spec, experiment: Spec) -> Any:
    return figure_builder(spec["name"], spec["kind"])(result, spec, experiment)


def _module(name: str, kind: str) -> Any:
    modules = {
        info.name: f"{figure.__name__}.{info.name}"
        for info in pkgutil.iter_modules(figure.__path__)
    }
    modules |= extensions.modules("figure")
    module = importlib.import_module(modules[kind]) if kind in modules else None
    if not hasattr(module, "build_figure"):
        known = [
            name
            for name, path in modules.items()
            if hasattr(importlib.import_module(path), "build_figure")
        ]
        one_of(f"experiment: figure {name}: kind", kind, known)
    return module
