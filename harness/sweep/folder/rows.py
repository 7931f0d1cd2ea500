"""Rows of trials on one split, as in ``trials.parquet``, ``heldout.json`` and a lock."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypeAlias, cast

from typing_extensions import TypedDict

if TYPE_CHECKING:
    import pandas as pd

Setting: TypeAlias = "bool | int | float | str | Sequence[Setting] | Mapping[str, Setting] | None"
"""A value of a knob, as YAML and JSON have it."""
Settings = Mapping[str, Setting]
"""Values by knob: ``{"fuser": "rrf", "fuser.k": 60, "pool.lists": ["dense", "graph"]}``."""
Count = int | None
Share = float | None
Interval = tuple[float, float] | None
NUMBERS = ("difference", "low", "high", "p", "p_cluster", "p_holm")
"""The columns of a comparison in addition to its counts."""


class Named(TypedDict):
    """The row of a trial in a lock."""

    trial: str
    name: str
    family: str
    parameters: dict[str, Any]
    overrides: list[str]
    learned: NotRequired[dict[str, object]]


class Compared(TypedDict):
    """A row of the long frame of comparisons: a trial against a single list on one split.

    Attributes:
        against: the reference list, or the best single list of tune.
        metric: the objective.
        n: number of questions that it counts.

    The other columns are those of ``Outcome``.
    """

    trial: str
    name: str
    split: str
    against: str
    metric: str
    n: int
    wins: int
    losses: int
    difference: Share
    low: Share
    high: Share
    p: float
    p_cluster: Share
    p_holm: Share


class TrialCounts(Named):
    """The required columns of a trial's row."""

    n: int
    wins: Count
    losses: Count


class Row(TrialCounts, total=False):
    """A trial on one split; it also has a column for each metric (see ``score``).

    ``wins`` to ``p_holm`` are those of its comparison with the reference list (see ``Compared``);
    null for that list itself.

    Attributes:
        family: the fuser's name, ``single`` for a list alone.
        untuned: whether nothing was chosen for it.
        n: number of questions that the objective counts.
        practical: false for a trial that nobody could choose in practice, because one of its lists
            uses the gold; it is never the winner or the best.
        wilson: Wilson's 95% interval of the objective by question.
        wilson_cluster: the interval that is shown: by cluster if questions share gold passages,
            otherwise the same as ``wilson``; null if clusters are too few.
        odds_ratio: odds ratio of a 0/1 objective to the reference.
        graph_win: number of questions whose last hop is in the trial's top k but not in that of
            ``dense`` (or the reference, if no list has that name), k the objective's depth.
        graph_loss: the reverse.
        learned: only in a lock.
        coverage: only on test, like the columns after it.
    """

    untuned: bool
    practical: bool
    dataset: str
    split: str
    graph_win: Count
    graph_loss: Count
    difference: Share
    low: Share
    high: Share
    p: Share
    p_cluster: Share
    p_holm: Share
    wilson: Interval
    wilson_cluster: Interval
    odds_ratio: Share
    coverage: dict[str, Any] | None
    roles: list[str] | None
    evaluation: int
    chosen_on: Count
    expected: Mapping[str, Any] | None
    as_expected: bool | None


def score(row: Named, metric: str) -> float:
    """Return a row's value of a metric, or of another column."""
    return cast("dict[str, float]", row)[metric]


def records(trials: pd.DataFrame) -> list[Row]:
    """Return the rows of a table of trials as in ``heldout.json``: JSON parsed, null as None."""
    plain = trials.astype(object).where(trials.notna(), None)
    rows = [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]
    read = [
        {**row, **{key: json.loads(row[key]) for key in ("overrides", "parameters") if key in row}}
        for row in rows
    ]
    return cast("list[Row]", read)


def lists_read(row: Named) -> list[str]:
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
