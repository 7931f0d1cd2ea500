"""A leaderboard's trials judged against the reference and the best single list: tests, corrections, intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

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
    columns = {
        **_tested(others, ""),
        **_tested(best, "_best"),
        **_corrected(others, "p_holm", trials.holm_ps),
        **_corrected(others, "p_bh", trials.benjamini_hochberg_ps),
        **_corrected(best, "p_best_holm", trials.holm_ps),
        "wilson": _wilson(values, None) if metric.binary else nobody,
        **_sizes(others),
        "wilson_cluster": _wilson(values, labels) if metric.binary else nobody,
        "design_effect": [1.0] * len(values) if labels is None else design_effect(values, labels).tolist(),
    }
    rows = zip(*columns.values(), strict=True)
    return cast("list[Judged]", [dict(zip(columns, row, strict=True)) for row in rows])


def _tested(compared: ComparisonTable, suffix: str) -> dict[str, Column]:
    counted = {
        f"wins{suffix}": _each(compared, lambda one: one.wins),
        f"losses{suffix}": _each(compared, lambda one: one.losses),
        f"p{suffix}": _each(compared, lambda one: one.p),
        f"p{suffix}_cluster": _each(compared, lambda one: one.p_cluster),
    }
    found = [one for one in compared if one is not None]
    if not found:
        return {**counted, f"p{suffix}_max": compared, f"p{suffix}_max_cluster": compared}
    signs, labels = np.array([np.sign(one.ours - one.theirs) for one in found], dtype=np.int8), found[0].labels
    plain = max_statistic(signs)
    shared = labels is not None and len(np.unique(labels)) < len(labels)
    by_cluster = max_statistic(signs, labels=labels) if shared else plain
    return {
        **counted,
        f"p{suffix}_max": _spread(compared, plain),
        f"p{suffix}_max_cluster": _spread(compared, by_cluster),
    }


def _corrected(
    compared: ComparisonTable, name: str, correct: Callable[[Any], NDArray[np.float64]]
) -> dict[str, Column]:
    """The correction of the p values by query, and of those by cluster."""
    found = [one for one in compared if one is not None]
    columns = {name: [one.p for one in found], f"{name}_cluster": [one.p_cluster for one in found]}
    return {key: _spread(compared, correct(np.array(ps))) for key, ps in columns.items()}


def _wilson(values: NDArray[np.float64], labels: Labels | None) -> Column:
    effect = np.ones(len(values)) if labels is None else design_effect(values, labels)
    hits, n = values.sum(axis=1) / effect, values.shape[1] / effect
    bounds: Column = trials.wilson_bounds(hits, n).tolist()
    return bounds


def _sizes(compared: ComparisonTable) -> dict[str, Column]:
    intervals = [None if one is None else one.score_interval() for one in compared]
    by_cluster = [None if one is None or not one.binary else one.interval_cluster for one in compared]
    return {
        "odds_ratio": _each(compared, lambda one: one.odds_ratio),
        "difference": _each(compared, lambda one: one.difference),
        "difference_low": [bounds and bounds[0] for bounds in intervals],
        "difference_high": [bounds and bounds[1] for bounds in intervals],
        "p_equivalent": _each(compared, lambda one: one.p_equivalent),
        "difference_cluster_low": [bounds and bounds[0] for bounds in by_cluster],
        "difference_cluster_high": [bounds and bounds[1] for bounds in by_cluster],
        "p_equivalent_cluster": _each(compared, lambda one: one.p_equivalent_cluster),
    }


def _each(compared: ComparisonTable, read: Callable[[Comparison], Any]) -> Column:
    return [None if one is None else read(one) for one in compared]


def _spread(compared: ComparisonTable, values: NDArray[np.float64]) -> Column:
    """The values of the trials that are compared, in their places."""
    left = iter(values.tolist())
    return _each(compared, lambda _: next(left))
