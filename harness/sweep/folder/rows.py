"""Rows of trials on one split, as in ``trials.parquet``, ``heldout.json`` and a lock."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.run import Run

if TYPE_CHECKING:
    import pandas as pd


Setting: TypeAlias = "bool | int | float | str | Sequence[Setting] | Mapping[str, Setting] | None"
"""A value of a knob, as YAML and JSON have it."""
Settings = Mapping[str, Setting]
"""Values by knob: ``{"fuser": "rrf", "fuser.k": 60, "pool.lists": ["dense", "graph"]}``."""
NUMBERS = ("difference", "low", "high", "p", "p_cluster", "p_holm")
"""The columns of a comparison in addition to its counts."""
COMPARED = ("trial", "name", "split", "against", "metric", "n", "wins", "losses", *NUMBERS)
"""The columns of the long frame of comparisons: a trial against a single list on one split.

``against`` is the reference list, or the best single list of tune; ``metric`` is the objective, and
``n`` the number of questions that it counts. The other columns are those of ``Outcome``.
"""
Row = Mapping[str, Any]
"""A trial on one split, or a row of the long frame of comparisons.

A trial has ``trial`` (hash), ``name``, ``family`` (the fuser's name, ``single`` for a list alone),
``parameters``, ``overrides``, ``n`` (questions that the objective counts), and a column for each
metric. ``wins`` to ``p_holm`` are those of its comparison with the reference list; null for that
list itself. Further columns:

- untuned: whether nothing was chosen for it.
- practical: false for a trial that nobody could choose in practice, because one of its lists uses
  the gold; it is never the winner or the best.
- wilson: Wilson's 95% interval of the objective by question.
- wilson_cluster: the interval that is shown: by cluster if questions share gold passages, otherwise
  the same as ``wilson``; null if clusters are too few.
- odds_ratio: odds ratio of a 0/1 objective to the reference.
- equals: hash of the first other trial with the same gold ranks in the objective's depth, single
  lists first; null if there is none.
- tied: whether it is not shown to be worse than the winner, by Holm over all trials.
- graph_win: number of questions whose last hop is in the trial's top k but not in that of ``dense``
  (or the reference, if no list has that name), k the objective's depth; graph_loss: the reverse.
- learned: only in a lock. Only on test: coverage, roles, evaluation, seen (how many of its
  questions were evaluated before), chosen_on, expected, as_expected; of the winner tie_range, the
  lowest and highest objective over all orders of its equal scores, if they differ.
"""


def score(row: Row, metric: str) -> float:
    """Return a row's value of a metric, or of another column."""
    value: float = row[metric]
    return value


def list_of(row: Row, lists: Mapping[str, str]) -> str | None:
    """Return the list whose gold ranks a fusion has (see ``equals``), or None.

    Args:
        row: a trial, as in a table of trials or a lock.
        lists: the hash of each single list's trial, by name.
    """
    if row["family"] == "single" or not row.get("equals"):
        return None
    return next((name for name, key in lists.items() if key == row["equals"]), None)


def winner_title(row: Row, lists: Mapping[str, str]) -> str:
    """Return the winner's name; ``graph (locked as boltzmann alpha=0 ...)`` if it ranks as a list.

    Args:
        row: the winner's.
        lists: as in ``list_of``.
    """
    listed = list_of(row, lists)
    return f"{listed} (locked as {row['name']})" if listed else str(row["name"])


def records(trials: pd.DataFrame) -> list[Row]:
    """Return the rows of a table of trials as in ``heldout.json``: JSON parsed, null as None."""
    plain = trials.astype(object).where(trials.notna(), None)
    rows: list[Any] = plain.to_dict("records")
    for row in rows:
        row |= {key: json.loads(row[key]) for key in ("overrides", "parameters") if key in row}
    return rows


def lists_read(row: Row) -> list[str]:
    """Return the lists that a row's strategy reads; none if the row does not say."""
    knobs = row["parameters"]
    return (
        [knobs["fuser.list"]]
        if knobs.get("fuser") == "single"
        else list(knobs.get("pool.lists") or ())
    )


def rerun(row: Row) -> str:
    """Return the command that runs a row's trial alone."""
    return f"harness sweep {shlex.join(row['overrides'])}"


SCORES = ("list", "query", "score")


@dataclass(frozen=True)
class ListScores:
    """A list's scores float64[N], best first within a question, and its lengths int64[Q]."""

    scores: Float64Array
    lengths: Int64Array

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.lengths)

    def top(self, depth: int | None) -> ListScores:
        """Return the ``depth`` best scores of each question; None returns all."""
        if depth is None:
            return self
        starts = np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return ListScores(
            self.scores[np.arange(len(self.scores)) - starts < depth],
            np.minimum(self.lengths, depth),
        )


def scores_frame(runs: Mapping[str, Run]) -> pd.DataFrame:
    """Return a row for each document of each list: the list's name, the question's number, the
    score.
    """
    import pandas as pd

    parts = [
        pd.DataFrame(
            {
                "list": name,
                "query": np.repeat(np.arange(len(run)), run.lengths()),
                "score": run.scores,
            }
        )
        for name, run in runs.items()
    ]
    return pd.concat(parts, ignore_index=True).astype({"list": "category", "query": "int32"})


def read_scores(frame: pd.DataFrame, queries: int) -> dict[str, ListScores]:
    """Return the lists of such a table by name."""
    parts = {str(name): part for name, part in frame.groupby("list", sort=False, observed=True)}
    return {
        name: ListScores(
            part["score"].to_numpy(np.float64), np.bincount(part["query"], minlength=queries)
        )
        for name, part in parts.items()
    }
