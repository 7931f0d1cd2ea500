"""A sweep in a notebook: ``harness.sweep_result``, its data frames, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.configuration import compose
from harness.core.errors import path_of
from harness.core.table import Table
from harness.evaluation.comparison import record
from harness.report.figure import Picture
from harness.report.pdf import section
from harness.sweep.folder import SweepResult, against_best, against_reference, latest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class SweepNotebook(SweepResult):
    """A sweep with what a notebook shows of it.

    ``trials``: the leaderboard on tune, a data frame. ``figures["alpha"]`` shows itself;
    ``.axes()`` gives matplotlib's axes. ``tables["leaderboard"]`` shows itself, too.
    """

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Every locked trial (on test, or on tune before `harness heldout`) against the reference
        and the best list.

        Columns: split, trial, against, metric, n, score, difference, its 95% interval low to high,
        wins, losses, p (by query), p_holm (what decides: by cluster, on test charged for its
        looks). Scores are shares.
        """
        import pandas as pd

        view = self.locked
        sides = {view.reference: against_reference, str(view.best_single): against_best}
        rows = [
            {
                "split": view.split,
                "trial": row["name"],
                "against": against,
                "metric": view.objective,
                "n": view.n,
                "score": view.score(row),
                **record(one),
            }
            for against, read in sides.items()
            for row in (view.rows[place] for place in view.best_first)
            if (one := read(row)) is not None
        ]
        return pd.DataFrame(rows)

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables of `harness report`, by name."""
        return {table.name: table for table in section(self).tables}

    @cached_property
    def figures(self) -> Mapping[str, Picture]:
        """The figures of `harness report`, by name."""
        return {picture.name: picture for picture in section(self).pictures}


def sweep_result(path: SweepResult | str | Path | None = None) -> SweepNotebook:
    """A finished sweep, for a notebook.

    Args:
        path: the sweep's folder, what ``run_sweep`` gave, or None for the latest one of this
        working folder.

    Returns:
        Its trials and comparisons as data frames, its tables and figures.

    Raises:
        HarnessError: there is no such sweep, or a file of it is damaged.
    """
    if path is None:
        return SweepNotebook(latest(Path(compose("report").paths.runs)))
    return SweepNotebook(path.folder if isinstance(path, SweepResult) else path_of("path", path))
