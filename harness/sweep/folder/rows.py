"""Rows of a sweep's tables: a trial on one split, in ``trials.parquet``, in ``heldout.json`` and in
a lock.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypeAlias, cast

from pydantic import AfterValidator
from typing_extensions import TypedDict

from harness.core.input import Number, Pair, misfit

if TYPE_CHECKING:
    import pandas as pd

Setting: TypeAlias = "bool | int | float | str | Sequence[Setting] | Mapping[str, Setting] | None"
"""A value of a knob, as YAML and JSON have it."""
Settings = Mapping[str, Setting]
"""Values by knob: ``{"fuser": "rrf", "fuser.k": 60, "pool.lists": ["dense", "graph"]}``."""
Count = int | None
Share = Number | None
Interval = Pair | None
NUMBERS = ("difference", "low", "high", "p", "p_cluster", "p_holm")
"""The columns of a comparison beside its counts."""


class Forecast(TypedDict):
    """What tune lets expect of the winner's score on ``n`` queries of test."""

    score: Number
    low: Number
    high: Number
    tune: NotRequired[Number]
    bias: NotRequired[Number]
    n: NotRequired[int]


class Covered(TypedDict):
    """Of what was counted of a list, what its readers need."""

    warnings: list[str]


Knobs = TypedDict(
    "Knobs", {"pool.lists": NotRequired[list[str] | None], "fuser.list": NotRequired[str | None]}
)
"""Of the flat parameters of a trial those that are read here; the strategy that has one checks
another.
"""


def _fitting(knobs: Mapping[str, object]) -> Mapping[str, object]:
    if (told := misfit(knobs, Knobs)) is not None:
        raise ValueError(told)
    return knobs


class Named(TypedDict):
    """A trial, as a lock names it."""

    trial: str
    name: str
    family: str
    parameters: Annotated[dict[str, Any], AfterValidator(_fitting)]
    overrides: list[str]
    learned: NotRequired[dict[str, object]]


class Compared(TypedDict):
    """A row of the long frame of comparisons: a trial against a single list on one split.

    against: the reference list, or the best single list of tune.    metric: the objective.
    n: the queries that it counts.    The other columns are those of ``Outcome``.
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
    p: Number
    p_cluster: Share
    p_holm: Share


class Scored(Named):
    """What every row of a trial has."""

    n: int
    wins: Count
    losses: Count


class Row(Scored, total=False):
    """A trial on one split. Beside these columns a row has one a metric, by its name (see
    ``score``).

    family: the fuser's name, ``single`` of a list alone.    untuned: whether nothing was chosen for
    it.
    n: the queries that the objective counts.    practical: false of a trial that could not be
    chosen in practice, since a list of it knows the gold; none such is the winner or the best.
    ``wins`` to ``p_holm`` are those of its comparison with the reference list (see ``Compared``);
    null for that list itself.
    ``wilson``: Wilson's 95% interval of the objective by query, ``wilson_cluster`` by clusters of
    queries that share gold passages, which is shown: the same numbers where none share, null where
    clusters are too few.    ``odds_ratio``: the objective's odds against the reference's, of a 0/1
    one.
    ``graph_win``, ``graph_loss``: queries whose last hop it finds in the objective's depth and
    ``dense`` (the reference, where no list is called so) does not, and the reverse.
    learned: only in a lock; ``coverage`` and what follows it: only on test.
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
    coverage: dict[str, Covered] | None
    roles: list[str] | None
    evaluation: int
    chosen_on: Count
    expected: Forecast | None
    as_expected: bool | None


def score(row: Named, metric: str) -> float:
    """A metric of a row, or another number of it by its column."""
    return cast("dict[str, float]", row)[metric]


def records(trials: pd.DataFrame) -> list[Row]:
    """The rows of a table of trials as ``heldout.json`` has them: overrides and parameters read,
    null as None.
    """
    plain = trials.astype(object).where(trials.notna(), None)
    rows = [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]
    read = [
        {**row, **{key: json.loads(row[key]) for key in ("overrides", "parameters") if key in row}}
        for row in rows
    ]
    return cast("list[Row]", read)


def lists_read(row: Named) -> list[str]:
    """The lists that a row's strategy reads; none where the row does not say."""
    knobs = row["parameters"]
    return (
        [knobs["fuser.list"]]
        if knobs.get("fuser") == "single"
        else list(knobs.get("pool.lists") or ())
    )


def rerun(row: Row) -> str:
    """The command that runs a row's trial alone."""
    return f"harness sweep {shlex.join(row['overrides'])}"
