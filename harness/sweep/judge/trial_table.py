"""The two stored frames, trials and comparisons, from trials and their gold ranks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from harness.benchmark.split import clusters
from harness.core.arrays import Int32Array
from harness.core.configuration import by_name
from harness.evaluation import statistic
from harness.evaluation.metric import Metric, means
from harness.evaluation.paired_comparison import Comparison, Outcome, corrected, counted_queries
from harness.evaluation.statistic import Labels, clustered_wilson
from harness.sweep.folder.rows import COMPARED, NUMBERS, Row

if TYPE_CHECKING:
    from harness.sweep.trial import Trial
    from harness.sweep.trial.prepared import Prepared

OUTCOMES = {
    "graph_win": "GraphWin: questions whose last hop is in its top k and not in dense's; effective if > 0.",  # noqa: E501
    "graph_loss": "GraphLoss: questions whose last hop is in dense's top k and not in its own; safe if 0.",  # noqa: E501
}
"""Counts of every trial by column."""
WRITTEN, INTERVALS = ("overrides", "parameters"), ("wilson", "wilson_cluster")
"""Columns that are stored as JSON, and as a lower and an upper bound."""
TYPES = {
    **dict.fromkeys(("wins", "losses", "graph_win", "graph_loss"), "Int64"),
    **dict.fromkeys((*NUMBERS, "odds_ratio"), "Float64"),
    **{f"{key}_{end}": "Float64" for key in INTERVALS for end in ("low", "high")},
}
"""The types of columns that may be null."""
GRAPH_K = 5
"""The depth of GraphWin and GraphLoss if the objective has none."""


def judge_trials(
    prepared: Prepared,
    trials: Mapping[str, Trial],
    ranks: Int32Array,
    split: str,
    best: str | None = None,
    evaluation: int = 0,
) -> tuple[list[Row], list[Row]]:
    """Return the rows of trials and of comparisons as they are stored; no other function makes
    them.

    Args:
        prepared: the benchmark and the plan.
        trials: by hash.
        ranks: int32[T, Q, H], their gold ranks on the split.
        split: tune or test.
        best: the best single list of tune, None for the best here.
        evaluation: the number of this evaluation of test, 0 for tune.

    Returns:
        A row for each trial, in the given order, and the rows of the long frame.
    """
    plan, data = prepared.plan, prepared.benchmark
    metric = Metric.parse(plan.config.objective)
    counted = int((~np.isnan(metric(ranks[0]))).sum()) if len(ranks) else 0
    scores = means(ranks, [Metric.parse(name) for name in plan.metrics])
    objective = scores[:, plan.metrics.index(str(metric))]
    places = enumerate(trials.values())
    single = {trial.name: place for place, trial in places if trial.family == "single"}
    usable = {name: float(objective[single[name]]) for name in single.keys() - prepared.impractical}
    if best is None and usable:
        best = best_single(usable, plan.reference)
    lists = {name: single[name] for name in (plan.reference, best) if name in single}
    labels = clusters(data.gold[data.members(split)])
    found = compare_trials(ranks, metric, lists, plan.margin, labels, evaluation)
    against = found.get(plan.reference, [None] * len(trials))
    graph = graph_outcomes(ranks, metric, single.get("dense", single.get(plan.reference)))
    intervals = score_intervals(ranks, metric, labels)
    counts = {"split": split, "n": counted}
    rows: list[Row] = []
    compared: list[Row] = []
    for place, (key, trial) in enumerate(trials.items()):
        head: dict[str, Any] = {"trial": key, "name": trial.name}
        read = [trial.name] if trial.family == "single" else trial.pool.lists
        practical = {"practical": not {*read} & {*prepared.impractical}}
        one = against[place]
        row = {
            **head,
            "family": trial.family,
            "untuned": _untuned(trial),
            "overrides": list(trial.overrides),
            "parameters": by_name(trial.settings),
            **(practical if prepared.impractical else {}),
            "dataset": data.name,
            **counts,
            **dict(zip(plan.metrics, scores[place].tolist(), strict=True)),
            **_numbers(one),
            "odds_ratio": one and one.odds_ratio,
            **graph[place],
            **intervals[place],
        }
        rows.append(row)
        for name, others in found.items():
            if (pair := others[place]) is not None:
                about = {**head, "against": name, "split": split, "metric": str(metric)}
                compared.append({**about, "n": counted, **_numbers(pair)})
    return rows, compared


def _numbers(one: Comparison | None) -> dict[str, object]:
    """Return the fields of ``Outcome``, null without a comparison.

    No interval if the metric is not 0/1, which would take a bootstrap for each trial.
    """
    if one is None:
        return dict.fromkeys(field.name for field in fields(Outcome))
    return asdict(Outcome.of(one, interval=one.binary))


def compare_trials(
    ranks: Int32Array,
    metric: Metric,
    lists: Mapping[str, int],
    margin: float,
    labels: Labels | None = None,
    evaluation: int = 0,
) -> dict[str, list[Comparison | None]]:
    """Compare each trial with each of some lists; p is corrected over the trials.

    Args:
        ranks: int32[T, Q, H].
        metric: the metric.
        lists: index of each list's trial.
        margin: the largest difference that does not matter.
        labels: int64[Q], clusters of the questions; None: no clusters.
        evaluation: see ``judge_trials``.

    Returns:
        By list a comparison for each trial, None for the list itself.
    """
    values, labels = counted_queries(metric(ranks), labels)
    found: dict[str, list[Comparison | None]] = {}
    for name, base in lists.items():
        others = [place for place in range(len(values)) if place != base]
        compared = [
            Comparison.of(values[place], values[base], metric.binary, margin, labels)
            for place in others
        ]
        found[name] = [None] * len(values)
        for place, one in zip(others, corrected(compared, evaluation), strict=True):
            found[name][place] = one
    return found


def score_intervals(
    ranks: Int32Array, metric: Metric, labels: Labels | None = None
) -> list[dict[str, Sequence[float] | None]]:
    """Return ``wilson`` and ``wilson_cluster`` of each trial's score (see ``folder.rows.Row``)."""
    values, labels = counted_queries(metric(ranks), labels)
    nobody: list[Sequence[float] | None] = [None] * len(values)
    few = statistic.share(labels) and statistic.too_few(np.asarray(labels))
    plain = clustered_wilson(values, None).tolist() if metric.binary else nobody
    ruled = clustered_wilson(values, labels).tolist() if metric.binary and not few else nobody
    pairs = zip(plain, ruled, strict=True)
    return [{"wilson": one, "wilson_cluster": other} for one, other in pairs]


def best_single(scores: Mapping[str, float], reference: str) -> str:
    """Return the list with the highest score; of several the reference, otherwise the first by
    name.
    """
    return min(scores, key=lambda name: (-scores[name], name != reference, name))


def graph_outcomes(
    ranks: Int32Array, objective: Metric, dense: int | None
) -> list[dict[str, int | None]]:
    """Return GraphWin and GraphLoss of each trial (PhaseGraph 4.3).

    They are the numbers of questions whose last hop is in the trial's top k and not in that of
    dense, and the reverse, k the objective's depth; null for dense itself, and if no last hop is
    known.

    Args:
        ranks: int32[T, Q, H].
        objective: the metric of the choice.
        dense: index of dense among the trials, None if there is none.
    """
    found = Metric("last_hop", objective.k or GRAPH_K)(ranks)
    found = found[:, ~np.isnan(found[0])]  # the same questions for all trials
    rows: list[dict[str, int | None]] = []
    for place, own in enumerate(found):
        known = dense not in (None, place) and bool(own.size)
        won = int((own > found[dense]).sum()) if known else None
        lost = int((own < found[dense]).sum()) if known else None
        rows.append({"graph_win": won, "graph_loss": lost})
    return rows


def frame(made: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows of trials or of comparisons as a table with typed columns.

    Overrides and parameters are JSON, an interval is two columns.
    """
    # one trial has no comparison, and its table the usual columns
    found = pd.DataFrame([_flat(row) for row in made], columns=None if made else [*COMPARED])
    types = {name: kind for name, kind in TYPES.items() if name in found}
    if "against" in found:  # comparisons are stored with this type of n
        types["n"] = "Int64"
    return found.astype(types)


def _flat(row: Mapping[str, Any]) -> dict[str, object]:
    flat = {key: value for key, value in row.items() if key not in INTERVALS}
    flat |= {key: json.dumps(row[key], sort_keys=True) for key in WRITTEN if key in row}
    for place, end in enumerate(("low", "high")):
        flat |= {f"{key}_{end}": row[key] and row[key][place] for key in INTERVALS if key in row}
    return flat


def _untuned(trial: Trial) -> bool:
    """Return whether nothing was chosen for a trial: a single list, or RRF with k 60 on the whole
    pool.
    """
    rrf = trial.family == "rrf" and trial.settings["fuser.k"] == 60
    return trial.family == "single" or (rrf and trial.pool.effective_cap is None)
