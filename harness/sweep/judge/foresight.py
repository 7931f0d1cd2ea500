"""Forecasts before test is touched: the winner's expected score, and what the test can detect."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.core.table import LEVEL
from harness.evaluation.metric import Metric
from harness.evaluation.paired_comparison import counted_queries
from harness.evaluation.statistic import (
    correlation,
    expected,
    mcnemar_power,
    queries_needed,
    smallest_effect,
)
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.judge.choice import Chosen


def foresight(
    ordered: Sequence[JudgedTrial],
    ranks: Int32Array,
    objective: str,
    n: int,
    chosen: Chosen,
    labels: Int64Array | None = None,
    fresh: Int64Array | None = None,
) -> dict[str, object]:
    """Return the forecast of the winner on ``n`` test questions, whose outcomes are not used.

    ``expected`` is its score, ``expected_difference`` that from the best single list, ``power`` the
    power of its test against that list; both are null if there is no such list, or if it is the
    winner. All are null for a metric of which less is better.

    Args:
        ordered: rows in the order of the rule.
        ranks: int32[T, Q, H], their gold ranks on tune.
        objective: the metric of the choice.
        n: number of test questions.
        chosen: the baselines.
        labels: int64[Q], clusters of the questions; None: no clusters.
        fresh: sizes of test's clusters.
    """
    forecast: dict[str, object] = {"expected": None, "expected_difference": None, "power": None}
    fused = [place for place, row in enumerate(ordered) if row.practical and not row.is_single]
    metric, baselines = Metric.parse(objective), chosen.baselines
    if not fused or n < 1 or not metric.higher_is_better:
        return forecast
    places = {row.trial: place for place, row in enumerate(ordered)}
    other, best = (
        places.get(baselines.lists.get(str(name), ""))
        for name in (baselines.reference, baselines.best)
    )
    settled = sorted(fused, key=lambda place: ordered[place].tie)  # all else being equal
    singles = [place for place in (other, best) if place is not None]
    values, labels = counted_queries(metric(ranks[[*settled, *singles]]), labels)
    scores = values[: len(settled)]
    lost = np.zeros(scores.shape, bool) if other is None else scores < values[len(settled)]
    forecast["expected"] = dataclasses.asdict(expected(scores, lost, n, labels=labels, fresh=fresh))
    apart = None if best is None else scores[settled.index(fused[0])] - values[-1]
    if apart is not None and apart.any():
        # Differences of -1 to 1 as scores of 0 to 1: the list is the same for all trials, so the
        # choice is the same.
        shifted = (scores - values[-1] + 1) / 2
        moved = dataclasses.asdict(expected(shifted, lost, n, labels=labels, fresh=fresh))
        differs = {key: 2 * moved[key] - 1 for key in ("tune", "score", "low", "high")}
        bias = 2 * moved["bias"]
        forecast["expected_difference"] = {**differs, "bias": bias, "n": n}
        forecast["power"] = power(apart, n, bias, labels, fresh)
    return forecast


def power(
    apart: Float64Array,
    n: int,
    bias: float = 0.0,
    labels: Int64Array | None = None,
    fresh: Int64Array | None = None,
) -> dict[str, object]:
    """Return what the second test of the winner on ``n`` questions can detect, at the level .05 of
    the rule on test (see ``Family.sequence``).

    ``smallest`` is the smallest net share of wins found with 80% power (null: none). ``power`` is
    that at the difference of tune, ``power_corrected`` at that less the winner's curse. ``queries``
    is the number of questions like test's for 80% power at the latter; null if a million are too
    few, or without an effect. ``n_effective`` is n / (1 + r (sum of s^2 / n - 1)), s the sizes of
    test's clusters, r the correlation of the differences within clusters.

    Args:
        apart: float64[Q], the winner's difference from the best single list on tune's questions.
        n: number of test questions.
        bias: the winner's curse.
        labels: int64[Q], clusters of tune.
        fresh: sizes of test's clusters.
    """
    wins, losses = float((apart > 0).mean()), float((apart < 0).mean())
    discordance, effect = wins + losses, wins - losses
    corrected = max(-discordance, min(discordance, effect - bias))
    r = 0.0 if labels is None else correlation(apart, labels)
    inflation = 1.0 if fresh is None else 1 + r * (float((fresh**2).sum()) / float(fresh.sum()) - 1)
    n_effective = max(1, int(n / inflation))
    needed = queries_needed(discordance, corrected, alpha=LEVEL) if corrected > 0 else None
    return {
        "n": n,
        "n_effective": n_effective,
        "discordance": discordance,
        "effect": effect,
        "effect_corrected": corrected,
        "smallest": smallest_effect(n_effective, discordance, alpha=LEVEL),
        "power": mcnemar_power(n_effective, discordance, effect, LEVEL),
        "power_corrected": mcnemar_power(n_effective, discordance, corrected, LEVEL),
        "queries": None if needed is None else int(np.ceil(needed * inflation)),
    }
