"""A sweep in a notebook: ``harness.sweep_result`` with data frames, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.core.configuration.composition import compose
from harness.core.errors import path_of
from harness.core.table import Table
from harness.report.figure import Picture
from harness.report.output import displayed
from harness.report.pdf.document import section
from harness.sweep.folder.inventory import latest
from harness.sweep.folder.result import SweepResult


@dataclass(frozen=True, repr=False)
class SweepNotebook(SweepResult):
    """A sweep for a notebook.

    ``trials`` and ``comparisons`` are data frames. A notebook displays ``figures["alpha"]`` and
    ``tables["leaderboard"]``; ``figures["alpha"].axes()`` returns the axes of matplotlib.
    """

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Return the tables of `harness report`, by name."""
        return {table.name: table for table in section(self, displayed()).every}

    @cached_property
    def figures(self) -> Mapping[str, Picture]:
        """Return the figures of `harness report`, by name."""
        return {picture.name: picture for picture in section(self, displayed()).pictures}


def sweep_result(path: SweepResult | str | Path | None = None) -> SweepNotebook:
    """Return a finished sweep for a notebook.

    Args:
        path: the sweep's folder, the result of ``run_sweep``, or None for the latest one.

    Returns:
        Its trials and comparisons as data frames, its tables and figures.

    Raises:
        HarnessError: there is no such sweep, or a file of it is damaged.
    """
    if path is None:
        return SweepNotebook(latest(Path(compose("report").paths.runs)))
    if isinstance(path, SweepResult):
        return SweepNotebook(path.folder)
    return SweepNotebook(path_of("path", path))
