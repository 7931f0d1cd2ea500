"""The tables and figures of a published experiment, as conf/experiment/<name>.yaml describes them.

The description is ``experiment`` in a sweep's configuration: ``source`` (where it was published), ``differs`` (what is
not the same here), ``tables`` and ``figures``. A table has ``rows`` (see harness.sweep.selection; with ``published``,
what was printed, by dataset and split) or ``summary`` (groups of trials). A figure is a ``heatmap`` of two lists of
knobs, whose cells are a table too, or ``bars`` of a table's rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.report.experiment.compared import Compared
from harness.report.experiment.summary import summary
from harness.report.figure import Picture
from harness.report.figure.bars import bars
from harness.report.figure.heatmap import Heatmap
from harness.report.table import Table
from harness.sweep.result import SweepResult


def tables(result: SweepResult) -> Iterator[Table]:
    """Every table of the sweep's experiment; none when the sweep is of no experiment."""
    experiment = _described(result)
    for spec in experiment.get("tables") or ():
        if "rows" in spec:
            yield Compared(result, spec, experiment).table()
        else:
            yield summary(result, spec, experiment)
    for spec in experiment.get("figures") or ():
        if spec["kind"] == "heatmap":
            yield Heatmap(result, spec, experiment).table()


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Every figure of the sweep's experiment."""
    experiment = _described(result)
    found = {spec["name"]: spec for spec in experiment.get("tables") or ()}
    for spec in experiment.get("figures") or ():
        if spec["kind"] == "heatmap":
            yield Heatmap(result, spec, experiment).picture()
        else:
            yield bars(Compared(result, found[spec["table"]], experiment), spec["name"])


def _described(result: SweepResult) -> Mapping[str, Any]:
    return result.config.get("experiment") or {}
