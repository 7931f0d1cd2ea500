"""A leaderboard's trials judged against the reference and the best single list: tests, corrections,
intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from harness.evaluation import statistic
from harness.evaluation.comparison import Comparison, corrected_ps, counted_queries
from harness.evaluation.metric import Metric
from harness.evaluation.statistic import Labels, clustered_wilson, design_effect, max_statistic
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

    ranks: int32[T, Q, H]. single: the place of each single list among the trials. reference: the
    list that wins are counted against. labels: int64[Q], each query's cluster; None: each by
    itself.
    """
    values, labels = counted_queries(metric(ranks), labels)

    def against(name: str | None) -> ComparisonTable:
        """Each trial against a single list; None for that list itself, and without one."""
        base = single.get(name or "")
        return [
            None
            if base in (None, place)
            else Comparison.of(own, values[base], metric.binary, margin, labels)
            for place, own in enumerate(values)
        ]

    others, best = against(reference), against(best_single)
    nobody: ComparisonTable = [None] * len(values)
    few = statistic.share(labels) and statistic.too_few(np.asarray(labels))
    tested = {**_tested(others, ""), **_tested(best, "_best")}
    columns = {
        **tested,
        "p_holm": corrected_ps(tested["p"]),
        "p_holm_cluster": corrected_ps(tested["p_cluster"]),
        "p_bh": corrected_ps(tested["p"], statistic.benjamini_hochberg),
        "p_best_holm": corrected_ps(tested["p_best"]),
        "p_best_holm_cluster": corrected_ps(tested["p_best_cluster"]),
        "p_max": nobody if few else _searched(others, labels),
        "wilson": _wilson(values, None) if metric.binary else nobody,
        **_sizes(others, ""),
        **_sizes(best, "_best"),
        "odds_ratio": _each(others, lambda one: one.odds_ratio),
        "p_equivalent": _each(others, lambda one: one.p_equivalent),
        "wilson_cluster": _wilson(values, labels) if metric.binary and not few else nobody,
        "design_effect": [1.0] * len(values)
        if labels is None
        else design_effect(values, labels).tolist(),
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


def _wilson(values: NDArray[np.float64], labels: Labels | None) -> Column:
    """Wilson's interval of each trial's score, by cluster where ``labels`` has some."""
    bounds: Column = clustered_wilson(values, labels).tolist()
    return bounds


def _sizes(compared: ComparisonTable, suffix: str) -> dict[str, Column]:
    """Differences with their intervals by query, and by what decides, of metrics that are
    0 or 1.
    """
    intervals = {
        "": _each(compared, lambda one: one.score_interval()),
        "_cluster": _each(compared, lambda one: one.interval if one.binary else None),
    }
    columns: dict[str, Column] = {
        f"difference{suffix}": _each(compared, lambda one: one.difference)
    }
    for how, bounds in intervals.items():
        for end, place in (("low", 0), ("high", 1)):
            columns[f"difference{suffix}{how}_{end}"] = [one and one[place] for one in bounds]
    return columns


def _each(compared: ComparisonTable, read: Callable[[Comparison], Any]) -> Column:
    return [None if one is None else read(one) for one in compared]
