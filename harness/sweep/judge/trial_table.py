"""Trials and their gold ranks to rows of a leaderboard, and to the table that is stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, get_type_hints

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.benchmark.cluster import clusters
from harness.core.configuration import by_name
from harness.evaluation.metric import Metric, means
from harness.sweep.folder.rows import Count, Interval, Judged, Row
from harness.sweep.judge.judgement import judge

if TYPE_CHECKING:
    from harness.sweep.trial import Trial
    from harness.sweep.trial.prepared import Prepared

OUTCOMES = {
    "graph_win": "GraphWin: questions whose last hop is in its top k and not in dense's; effective if > 0.",  # noqa: E501
    "graph_loss": "GraphLoss: questions whose last hop is in dense's top k and not in its own; safe if 0.",  # noqa: E501
}
"""Counts of every trial, by their column."""
GRAPH_K = 5
"""The depth of GraphWin and GraphLoss under an objective that has none."""


def rows(
    prepared: Prepared,
    trials: Mapping[str, Trial],
    ranks: NDArray[np.int32],
    split: str,
    best: str | None = None,
) -> list[Row]:
    """A row a trial, in the order given.

    trials: by hash.    ranks: int32[T, Q, H], theirs on the split.    best: the best single list,
    None: the best here.
    """
    plan, data = prepared.plan, prepared.benchmark
    objective, reference = plan.config.objective, plan.reference
    metric = Metric.parse(objective)
    counted = int((~np.isnan(metric(ranks[0]))).sum()) if len(ranks) else 0
    scores = means(ranks, [Metric.parse(name) for name in plan.metrics])
    made: list[dict[str, Any]] = [
        {
            "trial": key,
            "name": trial.name,
            "family": trial.family,
            "untuned": _untuned(trial),
            "overrides": list(trial.overrides),
            "parameters": by_name(trial.settings),
            "dataset": data.name,
            "split": split,
            "n": counted,
            **dict(zip(plan.metrics, scores[number].tolist(), strict=True)),
        }
        for number, (key, trial) in enumerate(trials.items())
    ]
    single = {row["name"]: number for number, row in enumerate(made) if row["family"] == "single"}
    if best is None and single:
        best = best_single(
            {name: made[number][objective] for name, number in single.items()}, reference
        )
    labels = clusters(data.gold[data.members(split)])
    judged = judge(ranks, metric, single, best, reference, plan.margin, labels)
    graph = graph_outcomes(ranks, metric, single.get("dense", single.get(reference)))
    return [
        cast("Row", {**row, **columns, **own})
        for row, columns, own in zip(made, judged, graph, strict=True)
    ]


def best_single(scores: Mapping[str, float], reference: str) -> str:
    """The list with the highest score; of several the reference, else the first by name."""
    return min(scores, key=lambda name: (-scores[name], name != reference, name))


def graph_outcomes(
    ranks: NDArray[np.int32], objective: Metric, dense: int | None
) -> list[dict[str, Count]]:
    """GraphWin and GraphLoss of each trial (PhaseGraph 4.3): the queries whose last hop it finds in
    the objective's top k and dense does not, and the reverse; null for dense itself, and where no
    last hop is known.

    ranks: int32[T, Q, H].    dense: its place among the trials, None where there is none.
    """
    found = Metric("last_hop", objective.k or GRAPH_K)(ranks)
    known = ~np.isnan(found).any(axis=0)
    if dense is None or not known.any():
        return [{"graph_win": None, "graph_loss": None}] * len(ranks)
    found = found[:, known]
    won, lost = (
        (found > found[dense]).sum(axis=1).tolist(),
        (found < found[dense]).sum(axis=1).tolist(),
    )
    return [
        {"graph_win": None, "graph_loss": None}
        if place == dense
        else {"graph_win": wins, "graph_loss": losses}
        for place, (wins, losses) in enumerate(zip(won, lost, strict=True))
    ]


def frame(made: Sequence[Row]) -> pd.DataFrame:
    """The rows as a table with typed columns; overrides and parameters as JSON, the interval as two
    columns.
    """
    kinds = get_type_hints(Judged, include_extras=True)
    intervals = [key for key, kind in kinds.items() if kind == Interval]
    counts = [
        key for key, kind in get_type_hints(Judged).items() if kind == Count
    ]  # without Required
    types = {key: "Int64" if key in counts else "Float64" for key in kinds if key not in intervals}
    flat = [_flat(row, intervals) for row in cast("Sequence[dict[str, object]]", made)]
    bounds = [f"{key}_{end}" for key in intervals for end in ("low", "high")]
    return pd.DataFrame(flat).astype({**types, **dict.fromkeys(bounds, "Float64")})


def _flat(row: Mapping[str, Any], intervals: Sequence[str]) -> dict[str, object]:
    """A row with JSON in place of lists and mappings, and two columns in place of an interval."""
    flat = {key: value for key, value in row.items() if key not in intervals}
    flat |= {
        "overrides": json.dumps(row["overrides"]),
        "parameters": json.dumps(row["parameters"], sort_keys=True),
    }
    for end, place in (("low", 0), ("high", 1)):
        flat |= {f"{key}_{end}": one[place] if (one := row[key]) else None for key in intervals}
    return flat


def _untuned(trial: Trial) -> bool:
    """Whether this is a baseline that nothing was chosen for: a list alone, or RRF at k 60 on the
    whole pool.
    """
    rrf = (
        trial.family == "rrf"
        and trial.settings["fuser.k"] == 60
        and trial.pool.effective_cap is None
    )
    return trial.family == "single" or rrf
