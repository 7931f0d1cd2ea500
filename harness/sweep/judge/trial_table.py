"""The judge: trials with scores, intervals and verdicts, from their gold ranks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.benchmark.split import clusters
from harness.core.arrays import Int32Array
from harness.core.configuration.stored_strategy import by_name
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
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.lock import Group, group_of
from harness.sweep.judge.choice import Chosen, is_practical

if TYPE_CHECKING:
    from harness.sweep.trial.prepared import Prepared
    from harness.sweep.trial.trial import Trial

OUTCOMES = {
    "graph_win": "GraphWin: questions whose last hop is in the trial's top k but not in dense's; the aim: > 0.",  # noqa: E501
    "graph_loss": "GraphLoss: questions whose last hop is in dense's top k but not in the trial's; the aim: 0.",  # noqa: E501
}
"""Counts of every trial by column."""
GRAPH_K = 5
"""The depth of GraphWin and GraphLoss if the objective has none."""


def judge_trials(
    prepared: Prepared,
    trials: Mapping[str, Trial],
    ranks: Int32Array,
    split: str,
    chosen: Chosen,
    evaluation: int = 0,
) -> list[JudgedTrial]:
    """Return the judged trials; no other function makes them.

    Args:
        prepared: the benchmark and the plan.
        trials: by hash.
        ranks: int32[T, Q, H], their gold ranks on the split.
        split: tune or test.
        chosen: the names, the baselines and the winner of tune.
        evaluation: the number of this evaluation of test, 0 for tune.
    """
    plan, data = prepared.plan, prepared.benchmark
    metric = Metric.parse(plan.config.objective)
    scores = means(ranks, [Metric.parse(name) for name in plan.metrics])
    labels = clusters(data.gold[data.members(split)])
    baselines, keys = chosen.baselines, list(trials)
    opponents = {name: keys.index(key) for name, key in baselines.opponents.items()}
    compared = compare_trials(ranks, metric, opponents, plan.margin, labels)
    winner = keys.index(chosen.winner)
    alike = [
        name for name, place in opponents.items() if metric.same_top(ranks[winner], ranks[place])
    ]
    decided = decide(compared, keys, split, alike, chosen.winner, evaluation)
    lists = [
        key for key in baselines.lists.values() if is_practical(trials[key], prepared.impractical)
    ]
    equals = find_equals(keys, ranks, metric, lists)
    tied = find_tied(ranks, metric, winner, labels, evaluation)
    dense = baselines.lists.get("dense", baselines.lists.get(baselines.reference))
    dense_place = keys.index(dense) if dense else None
    graph = graph_outcomes(ranks, metric, dense_place)
    intervals = score_intervals(ranks, metric, labels)
    n = int((~np.isnan(metric(ranks[0]))).sum()) if len(ranks) else 0
    rows: list[JudgedTrial] = []
    for place, (key, trial) in enumerate(trials.items()):
        comparisons = {name: by_trial[place] for name, by_trial in decided.items()}
        outcomes = {
            name: Outcome.of(comparison)
            for name, comparison in comparisons.items()
            if comparison is not None
        }
        with_reference = comparisons.get(baselines.reference)
        odds_ratio = None if with_reference is None else with_reference.odds_ratio
        rows.append(
            JudgedTrial(
                trial=key,
                name=chosen.names[key],
                family=trial.family,
                untuned=plan.grid.untuned(trial),
                blocks=plan.grid.blocks_of(trial),
                practical=is_practical(trial, prepared.impractical),
                overrides=list(trial.overrides),
                parameters=by_name(trial.settings),
                dataset=data.name,
                split=split,
                n=n,
                scores=dict(zip(plan.metrics, scores[place].tolist(), strict=True)),
                reference=baselines.reference,
                outcomes=outcomes,
                odds_ratio=odds_ratio,
                graph_win=graph[place][0],
                graph_loss=graph[place][1],
                wilson=intervals[place][0],
                wilson_cluster=intervals[place][1],
                equals=equals[place],
                tied=tied[place],
            )
        )
    return rows


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
    contents = {key: trial_ranks.tobytes() for key, trial_ranks in zip(keys, top, strict=True)}
    first: dict[bytes, str] = {}
    singles = [key for key in lists if key in contents]
    for key in (*singles, *keys):
        first.setdefault(contents[key], key)
    equals = [first[contents[key]] for key in keys]
    return [None if equal == key else equal for equal, key in zip(equals, keys, strict=True)]


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
    family = Family.of(
        [comparison for comparison in compared if comparison is not None], evaluation
    )
    tied = [True] * len(ranks)
    for place, comparison in zip(others, family, strict=True):
        tied[place] = comparison.finding != "worse"
    return tied


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
    by_list: dict[str, list[Comparison | None]] = {}
    for name, base in lists.items():
        compared = Comparison.all(
            values,
            values[base],
            labels,
            binary=metric.binary,
            margin=margin,
            higher_is_better=metric.higher_is_better,
        )
        by_list[name] = [*compared[:base], None, *compared[base + 1 :]]
    return by_list


def decide(
    by_list: Compared,
    keys: Sequence[str],
    split: str,
    alike: Collection[str] = (),
    winner: str | None = None,
    evaluation: int = 0,
) -> Compared:
    """Return the comparisons with the verdicts of their families (see ``group_of``).

    Args:
        by_list: the comparisons, those with the reference first.
        keys: hashes of the trials.
        split: tune or test.
        alike: lists with the winner's gold ranks, which are no test of the winner on test.
        winner: hash of the locked winner.
        evaluation: number of this evaluation of test, 0 for tune.
    """
    groups: dict[Group, list[tuple[str, int, Comparison]]] = {}
    for name, compared in by_list.items():
        for place, comparison in enumerate(compared):
            if comparison is not None:
                group = group_of(split, keys[place], name, winner)
                groups.setdefault(group, []).append((name, place, comparison))
    decided = {name: list(compared) for name, compared in by_list.items()}
    for (kind, _), members in groups.items():
        tested = [kind != "winner" or name not in alike for name, _, _ in members]
        family = [
            comparison for (_, _, comparison), test in zip(members, tested, strict=True) if test
        ]
        judged = Family.sequence if kind == "winner" else Family.of
        verdicts = iter(judged(family, evaluation))
        for (name, place, comparison), test in zip(members, tested, strict=True):
            same = Verdict(comparison.p_deciding, "sequence", tested=False)
            decided[name][place] = next(verdicts) if test else comparison.with_fields(verdict=same)
    return decided


def score_intervals(
    ranks: Int32Array, metric: Metric, labels: Labels | None = None
) -> list[tuple[Sequence[float] | None, Sequence[float] | None]]:
    """Return ``wilson`` and ``wilson_cluster`` of each trial's score (see ``JudgedTrial``)."""
    values, labels = counted_queries(metric(ranks), labels)
    nobody: list[Sequence[float] | None] = [None] * len(values)
    few = statistic.share(labels) and statistic.too_few(np.asarray(labels))
    plain = clustered_wilson(values, None).tolist() if metric.binary else nobody
    ruled = clustered_wilson(values, labels).tolist() if metric.binary and not few else nobody
    return list(zip(plain, ruled, strict=True))


def graph_outcomes(
    ranks: Int32Array, objective: Metric, dense: int | None
) -> list[tuple[int | None, int | None]]:
    """Return GraphWin and GraphLoss of each trial (PhaseGraph 4.3).

    They are the numbers of questions whose last hop is in the trial's top k and not in that of
    dense, and the reverse, k the objective's depth; null for dense itself, and if no last hop is
    known.

    Args:
        ranks: int32[T, Q, H].
        objective: the metric of the choice.
        dense: index of dense among the trials, None if there is none.
    """
    hits = Metric("last_hop", objective.k or GRAPH_K)(ranks)
    hits = hits[:, ~np.isnan(hits[0])]  # the same questions for all trials
    pairs: list[tuple[int | None, int | None]] = []
    for place, trial_hits in enumerate(hits):
        is_comparable = dense not in (None, place) and bool(trial_hits.size)
        won = int((trial_hits > hits[dense]).sum()) if is_comparable else None
        lost = int((trial_hits < hits[dense]).sum()) if is_comparable else None
        pairs.append((won, lost))
    return pairs
