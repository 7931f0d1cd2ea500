"""A leaderboard's trials judged against the reference and the best single list: tests, corrections, intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from harness.evaluation import statistic
from harness.evaluation.comparison import Comparison, compare_trials, counted
from harness.evaluation.metric import Metric
from harness.evaluation.statistic import Labels, design_effect, max_statistic, trials
from harness.sweep.folder.rows import Judged

ComparisonTable = Sequence[Comparison | None]
Column = Sequence[Any]


def judge(
    ranks: NDArray[np.int32],
    metric: Metric,
    single: Mapping[str, int],
    best_single: str | None,
    reference: str,
    margin: float,
    labels: Labels | None = None,
) -> list[Judged]:
    """What the comparisons say of each trial.

    ranks: int32[T, Q, H]. single: the place of each single list among the trials. reference: the list that wins are
    counted against. labels: int64[Q], each query's cluster; None: each by itself.
    """
    values, labels = counted(metric(ranks), labels)
    nobody: ComparisonTable = [None] * len(values)
    places = [single.get(reference), single.get(best_single or "")]
    others, best = [
        nobody if place is None else compare_trials(values, place, metric.binary, margin, labels) for place in places
    ]
    few = statistic.share(labels) and statistic.too_few(np.asarray(labels))
    columns = {
        **_tested(others, ""),
        **_tested(best, "_best"),
        "p_holm": _holm([None if one is None else one.p for one in others]),
        "p_holm_cluster": _holm([None if one is None else one.p_deciding for one in others]),
        "p_bh": _corrected([None if one is None else one.p for one in others], trials.benjamini_hochberg_ps),
        "p_best_holm": _holm([None if one is None else one.p for one in best]),
        "p_best_holm_cluster": _holm([None if one is None else one.p_deciding for one in best]),
        "p_max": nobody if few else _searched(others, labels),
        "wilson": trials.clustered_wilson(values, None).tolist() if metric.binary else nobody,
        **_sizes(others, ""),
        **_sizes(best, "_best"),
        "odds_ratio": _each(others, lambda one: one.odds_ratio),
        "p_equivalent": _each(others, lambda one: one.p_equivalent),
        "wilson_cluster": trials.clustered_wilson(values, labels).tolist() if metric.binary and not few else nobody,
        "design_effect": [1.0] * len(values) if labels is None else design_effect(values, labels).tolist(),
    }
    rows = zip(*columns.values(), strict=True)
    return cast("list[Judged]", [dict(zip(columns, row, strict=True)) for row in rows])


def _tested(compared: ComparisonTable, suffix: str) -> dict[str, Column]:
    return {
        f"wins{suffix}": _each(compared, lambda one: one.wins),
        f"losses{suffix}": _each(compared, lambda one: one.losses),
        f"p{suffix}": _each(compared, lambda one: one.p),
        f"p{suffix}_cluster": _each(compared, lambda one: one.p_deciding),
    }


def _searched(compared: ComparisonTable, labels: Labels | None) -> Column:
    """The p of the max statistic over all trials, whole clusters changing sides."""
    found = [one for one in compared if one is not None]
    if not found:
        return compared
    signs = np.array([np.sign(one.ours - one.theirs) for one in found], dtype=np.int8)
    ps = iter(max_statistic(signs, labels=labels if statistic.share(labels) else None).tolist())
    return _each(compared, lambda _: next(ps))


def _holm(ps: Column) -> Column:
    return _corrected(ps, trials.holm_ps)


def _corrected(ps: Column, correct: Callable[[Any], NDArray[np.float64]]) -> Column:
    """The p values corrected over those that there are, in their places."""
    left = iter(correct(np.array([p for p in ps if p is not None], dtype=np.float64)).tolist())
    return [None if p is None else next(left) for p in ps]


def _sizes(compared: ComparisonTable, suffix: str) -> dict[str, Column]:
    by_query = [None if one is None else one.score_interval() for one in compared]
    deciding = [None if one is None or not one.binary else one.interval for one in compared]
    return {
        f"difference{suffix}": _each(compared, lambda one: one.difference),
        f"difference{suffix}_low": [bounds and bounds[0] for bounds in by_query],
        f"difference{suffix}_high": [bounds and bounds[1] for bounds in by_query],
        f"difference{suffix}_cluster_low": [bounds and bounds[0] for bounds in deciding],
        f"difference{suffix}_cluster_high": [bounds and bounds[1] for bounds in deciding],
    }


def _each(compared: ComparisonTable, read: Callable[[Comparison], Any]) -> Column:
    return [None if one is None else read(one) for one in compared]
