"""The two stored frames, trials and comparisons, from trials and their gold ranks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from harness.benchmark.split import clusters
from harness.core.arrays import Int32Array
from harness.core.configuration import by_name
from harness.evaluation import statistic
from harness.evaluation.family import Family
from harness.evaluation.metric import Metric, means
from harness.evaluation.paired_comparison import (
    MARGIN,
    Comparison,
    Outcome,
    Verdict,
    counted_queries,
)
from harness.evaluation.statistic import Labels, clustered_wilson
from harness.sweep.folder.baselines import Group, group_of
from harness.sweep.folder.rows import COMPARED, NUMBERS, Row
from harness.sweep.judge.choice import Chosen, is_practical

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
    chosen: Chosen,
    evaluation: int = 0,
) -> tuple[list[Row], list[Row]]:
    """Return the rows of trials and of comparisons as they are stored; no other function makes
    them.

    Args:
        prepared: the benchmark and the plan.
        trials: by hash.
        ranks: int32[T, Q, H], their gold ranks on the split.
        split: tune or test.
        chosen: the names, the baselines and the winner of tune.
        evaluation: the number of this evaluation of test, 0 for tune.

    Returns:
        A row for each trial, in the given order, and the rows of the long frame.
    """
    plan, data = prepared.plan, prepared.benchmark
    metric = Metric.parse(plan.config.objective)
    scores = means(ranks, [Metric.parse(name) for name in plan.metrics])
    labels = clusters(data.gold[data.members(split)])
    baselines, keys = chosen.baselines, list(trials)
    opponents = {name: keys.index(key) for name, key in baselines.opponents.items()}
    found = compare_trials(ranks, metric, opponents, plan.margin, labels)
    won = keys.index(chosen.winner)
    alike = [name for name, place in opponents.items() if metric.same_top(ranks[won], ranks[place])]
    decided = decide(found, keys, split, alike, chosen.winner, evaluation)
    lists = [
        key for key in baselines.lists.values() if is_practical(trials[key], prepared.impractical)
    ]
    equals = find_equals(keys, ranks, metric, lists)
    tied = find_tied(ranks, metric, won, labels, evaluation)
    dense = baselines.lists.get("dense", baselines.lists.get(baselines.reference))
    graph = graph_outcomes(ranks, metric, keys.index(dense) if dense else None)
    intervals = score_intervals(ranks, metric, labels)
    counts = {"split": split, "n": int((~np.isnan(metric(ranks[0]))).sum()) if len(ranks) else 0}
    rows: list[Row] = []
    compared: list[Row] = []
    for place, (key, trial) in enumerate(trials.items()):
        head: dict[str, Any] = {"trial": key, "name": chosen.names[key]}
        practical = {"practical": is_practical(trial, prepared.impractical)}
        one = decided[baselines.reference][place] if baselines.reference in decided else None
        row = {
            **head,
            "family": trial.family,
            "untuned": plan.grid.untuned(trial),
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
            "equals": equals[place],
            "tied": tied[place],
        }
        rows.append(row)
        for name, others in decided.items():
            if (pair := others[place]) is not None:
                about = {**head, "against": name, "split": split, "metric": str(metric)}
                compared.append({**about, "n": counts["n"], **_numbers(pair)})
    return rows, compared


def find_equals(
    keys: Sequence[str], ranks: Int32Array, metric: Metric, lists: Iterable[str]
) -> list[str | None]:
    """Return for each trial the hash of the first other one with its gold ranks, or None.

    Gold ranks below the objective's depth are equal. Single lists come first, then the trials in
    their order.

    Args:
        keys: hashes of the trials.
        ranks: int32[T, Q, H].
        metric: the objective.
        lists: hashes of the practical single lists.
    """
    top = np.minimum(ranks, metric.k + 1) if metric.k else ranks
    contents = {key: own.tobytes() for key, own in zip(keys, top, strict=True)}
    first: dict[bytes, str] = {}
    for key in [*(one for one in lists if one in contents), *keys]:
        first.setdefault(contents[key], key)
    originals = [first[contents[key]] for key in keys]
    return [None if one == key else one for one, key in zip(originals, keys, strict=True)]


def find_tied(
    ranks: Int32Array, metric: Metric, winner: int, labels: Labels | None, evaluation: int
) -> list[bool]:
    """Return whether each trial is not shown to be worse than the winner, by Holm over all trials.

    Args:
        ranks: int32[T, Q, H].
        metric: the objective.
        winner: index of the winner.
        labels: int64[Q], clusters of the questions.
        evaluation: number of this evaluation of test, 0 for tune.
    """
    compared = compare_trials(ranks, metric, {"winner": winner}, MARGIN, labels)["winner"]
    others = [place for place in range(len(ranks)) if place != winner]
    family = Family.of([one for one in compared if one is not None], evaluation)
    tied = [True] * len(ranks)
    for place, one in zip(others, family, strict=True):
        tied[place] = one.finding != "worse"
    return tied


def _numbers(one: Comparison | None) -> dict[str, object]:
    """Return the fields of ``Outcome``, null without a comparison."""
    if one is None:
        return dict.fromkeys(field.name for field in fields(Outcome))
    return asdict(Outcome.of(one))


Compared = Mapping[str, Sequence[Comparison | None]]
"""By list a comparison for each trial, None for the list itself."""


def compare_trials(
    ranks: Int32Array,
    metric: Metric,
    lists: Mapping[str, int],
    margin: float,
    labels: Labels | None = None,
) -> Compared:
    """Compare each trial with each of some lists.

    Args:
        ranks: int32[T, Q, H].
        metric: the metric.
        lists: index of each list's trial.
        margin: the largest difference that does not matter.
        labels: int64[Q], clusters of the questions; None: no clusters.
    """
    values, labels = counted_queries(metric(ranks), labels)
    found: dict[str, list[Comparison | None]] = {}
    for name, base in lists.items():
        compared = Comparison.all(
            values,
            values[base],
            labels,
            binary=metric.binary,
            margin=margin,
            higher_is_better=metric.higher_is_better,
        )
        found[name] = [*compared[:base], None, *compared[base + 1 :]]
    return found


def decide(
    found: Compared,
    keys: Sequence[str],
    split: str,
    alike: Collection[str] = (),
    winner: str | None = None,
    evaluation: int = 0,
) -> Compared:
    """Return the comparisons with the verdicts of their families (see ``group_of``).

    Args:
        found: the comparisons, those with the reference first.
        keys: hashes of the trials.
        split: tune or test.
        alike: lists with the winner's gold ranks, which are no test of the winner on test.
        winner: hash of the locked winner.
        evaluation: number of this evaluation of test, 0 for tune.
    """
    groups: dict[Group, list[tuple[str, int, Comparison]]] = {}
    for name, compared in found.items():
        for place, one in enumerate(compared):
            if one is not None:
                group = group_of(split, keys[place], name, winner)
                groups.setdefault(group, []).append((name, place, one))
    decided = {name: list(compared) for name, compared in found.items()}
    for (kind, _), members in groups.items():
        tested = [kind != "winner" or name not in alike for name, _, _ in members]
        comparisons = [one for (_, _, one), test in zip(members, tested, strict=True) if test]
        judged = Family.sequence if kind == "winner" else Family.of
        verdicts = iter(judged(comparisons, evaluation))
        for (name, place, one), test in zip(members, tested, strict=True):
            same = Verdict(one.p_deciding, "sequence", tested=False)
            decided[name][place] = next(verdicts) if test else one.with_fields(verdict=same)
    return decided


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
