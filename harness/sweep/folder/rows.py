"""Rows of a sweep's tables: a trial on one split, in ``trials.parquet``, in ``heldout.json`` and in
a lock.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Required, TypeAlias, cast

from pydantic import AfterValidator
from typing_extensions import TypedDict

from harness.core.input import Number, Pair, misfit
from harness.evaluation.comparison import Outcome

if TYPE_CHECKING:
    import pandas as pd

Setting: TypeAlias = "bool | int | float | str | Sequence[Setting] | Mapping[str, Setting] | None"
"""A value of a knob, as YAML and JSON have it."""
Settings = Mapping[str, Setting]
"""Values by knob: ``{"fuser": "rrf", "fuser.k": 60, "pool.lists": ["dense", "graph"]}``."""
Count = int | None
Share = Number | None
Interval = Pair | None


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


class Judged(TypedDict, total=False):
    """What the comparisons say of a trial; null where nothing is compared, as the reference with
    itself.

    ``wins``, ``losses``, ``p``: on the objective, against the reference list; ``_best``: against
    the best single list. ``p``, ``p_holm``, ``p_bh``, ``wilson`` and the interval
    ``difference_low`` to ``difference_high`` are by query: the exact McNemar p, which papers
    report, and what follows from it. ``_cluster``: what decides, by clusters of queries that share
    gold passages; the same numbers where none share, null where clusters are too few (see
    ``harness.evaluation.comparison.Ruling``). ``p_max`` (max-statistic permutation test) and
    ``p_equivalent`` (that the difference is less than the margin) are by cluster, too. ``holm``,
    ``bh`` and ``max`` are corrected over all rows.
    ``odds_ratio``: the objective's odds against the reference's, of a 0/1 one. ``design_effect``:
    the objective's.
    ``graph_win``, ``graph_loss``: queries whose last hop it finds in the objective's depth and
    ``dense`` (the reference, where no list is called so) does not, and the reverse.
    """

    wins: Required[Count]
    losses: Required[Count]
    graph_win: Count
    graph_loss: Count
    p: Share
    p_cluster: Share
    wins_best: Count
    losses_best: Count
    p_best: Share
    p_best_cluster: Share
    p_holm: Share
    p_holm_cluster: Share
    p_bh: Share
    p_best_holm: Share
    p_best_holm_cluster: Share
    p_max: Share
    wilson: Interval
    odds_ratio: Share
    difference: Share
    difference_low: Share
    difference_high: Share
    difference_cluster_low: Share
    difference_cluster_high: Share
    difference_best: Share
    difference_best_low: Share
    difference_best_high: Share
    difference_best_cluster_low: Share
    difference_best_cluster_high: Share
    p_equivalent: Share
    wilson_cluster: Interval
    design_effect: Share


class Row(Named, Judged):
    """A trial on one split. Beside these columns a row has one a metric, by its name (see
    ``score``).

    family: the fuser's name, ``single`` of a list alone.    untuned: whether nothing was chosen for
    it.
    n: the queries that the objective counts.    learned: only in a lock; what follows it: only on
    test. ``p_looks`` and
    ``p_best_looks``: ``p_holm_cluster`` and ``p_best_holm_cluster``, charged for the looks that
    test has had.
    """

    untuned: NotRequired[bool]
    dataset: NotRequired[str]
    split: NotRequired[str]
    n: int
    coverage: NotRequired[dict[str, Covered] | None]
    roles: NotRequired[list[str] | None]
    evaluation: NotRequired[int]
    looks: NotRequired[Count]
    charged: NotRequired[Count]
    chosen_on: NotRequired[Count]
    expected: NotRequired[Forecast | None]
    as_expected: NotRequired[bool | None]
    p_family: NotRequired[Share]
    p_looks: NotRequired[Share]
    p_best_looks: NotRequired[Share]


def against_reference(row: Row) -> Outcome | None:
    """What a row says against the reference; None of the reference itself."""
    return _outcome(row, "")


def against_best(row: Row) -> Outcome | None:
    """The same against the best single list; None in sweeps of before it was stored, too."""
    return _outcome(row, "_best")


def _outcome(named: Row, side: str) -> Outcome | None:
    row = cast("dict[str, Any]", named)  # by names that are put together
    if row.get(f"wins{side}") is None:
        return None
    low, high = (row.get(f"difference{side}_cluster_{end}") for end in ("low", "high"))
    holm = row.get(f"p{side}_looks", row.get(f"p{side}_holm_cluster"))
    wins, losses = row[f"wins{side}"], row[f"losses{side}"]
    interval = (low, high) if low is not None and high is not None and wins + losses else None
    return Outcome(wins, losses, row[f"p{side}"], holm, row.get(f"difference{side}"), interval)


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


def lists_read(row: Row) -> list[str]:
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
