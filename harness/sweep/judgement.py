"""A leaderboard's rows judged against dense and the best single list: tests, their corrections, sizes, intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.metric import Metric, wins_losses
from harness.statistic import (
    benjamini_hochberg,
    difference_interval,
    equivalence,
    holm,
    max_statistic,
    mcnemar,
    odds_ratio,
    wilson,
)

Row = dict[str, Any]
MARGIN = 0.02
"""The largest difference that does not matter, unless the configuration says another one: two points."""
CORRECTED = (("p_holm", "p", holm), ("p_bh", "p", benjamini_hochberg), ("p_best_holm", "p_best", holm))


def judge(
    made: Sequence[Row],
    ranks: NDArray[np.int32],
    metric: Metric,
    single: Mapping[str, int],
    best_single: str | None,
    margin: float,
) -> None:
    """Add to each row what ``harness.sweep.table.rows`` says about it.

    ranks: int32[T, Q, H]. single: the place of each single list among the rows.
    """
    for suffix, baseline in (("", "dense"), ("_best", best_single)):
        _judge(made, ranks, metric, suffix, single.get(baseline or ""))
    for corrected, p, correct in CORRECTED:
        _correct(made, corrected, p, correct)
    dense = made[single["dense"]] if "dense" in single else None
    _size(made, metric, dense)
    _differ(made, metric, dense, margin)


def _judge(made: Sequence[Row], ranks: NDArray[np.int32], metric: Metric, suffix: str, baseline: int | None) -> None:
    for row in made:
        row.update(dict.fromkeys((f"wins{suffix}", f"losses{suffix}", f"p{suffix}", f"p{suffix}_max")))
    if baseline is None:
        return
    won, lost = wins_losses(ranks, ranks[baseline], metric)
    together = max_statistic(won.astype(np.int8) - lost)
    for number, row in enumerate(made):
        if number != baseline:
            wins, losses = int(won[number].sum()), int(lost[number].sum())
            row[f"wins{suffix}"], row[f"losses{suffix}"], row[f"p{suffix}"] = wins, losses, mcnemar(wins, losses)
            row[f"p{suffix}_max"] = float(together[number])


def _correct(made: Sequence[Row], corrected: str, p: str, correct: Any) -> None:
    tested = [row for row in made if row[p] is not None]
    for row in made:
        row[corrected] = None
    for row, value in zip(tested, correct([row[p] for row in tested]), strict=True):
        row[corrected] = float(value)


def _size(made: Sequence[Row], metric: Metric, dense: Row | None) -> None:
    for row in made:
        row["wilson"], row["odds_ratio"] = None, None
        if metric.binary:
            n = row["n"]
            hits = round(row[str(metric)] * n)
            row["wilson"] = list(wilson(hits, n))
            ratio = odds_ratio(hits, round(dense[str(metric)] * n), n) if dense and row is not dense else math.nan
            row["odds_ratio"] = ratio if math.isfinite(ratio) else None


def _differ(made: Sequence[Row], metric: Metric, dense: Row | None, margin: float) -> None:
    for row in made:
        row.update(dict.fromkeys(("difference", "difference_low", "difference_high", "p_equivalent")))
        if dense is not None and row is not dense:
            row["difference"] = row[str(metric)] - dense[str(metric)]
            if metric.binary:
                counts = row["wins"], row["losses"], row["n"]
                row["difference_low"], row["difference_high"] = difference_interval(*counts)
                row["p_equivalent"] = equivalence(*counts, margin)
