"""Known before test is touched: what the winner can be expected to score there, and what such a test can see at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.comparison import counted
from harness.evaluation.metric import Metric
from harness.evaluation.statistic import expected, mcnemar_power, queries_needed, smallest_effect
from harness.sweep.folder.rows import Row
from harness.sweep.judge.choice import tiebreak


def foresight(
    ordered: Sequence[Row],
    ranks: NDArray[np.int32],
    objective: str,
    n: int,
    reference: str,
    labels: NDArray[np.int64] | None = None,
    fresh: NDArray[np.int64] | None = None,
) -> dict[str, Any]:
    """``expected`` and ``power`` of the leaderboard's winner on ``n`` test queries, of which no outcome is used.

    ordered: rows in the order of the rule. ranks: int32[T, Q, H], theirs, on tune. reference: the list that wins are
    counted against. labels: int64[Q], the queries' clusters; fresh: the sizes of test's; None: each query by itself.
    """
    fused = [place for place, row in enumerate(ordered) if row["family"] != "single"]
    other = next((place for place, row in enumerate(ordered) if row["name"] == reference), None)
    if not fused or n < 1:
        return {"expected": None, "power": None}

    def rule(place: int) -> tuple[float, str, str]:
        row = ordered[place]
        return tiebreak(row["parameters"], row["name"], row["trial"])

    settled = sorted(fused, key=rule)  # the rule of what the objective and the losses leave tied
    own = settled if other is None else [*settled, other]
    values, labels = counted(Metric.parse(objective)(ranks[own]), labels)
    scores = values[: len(settled)]
    lost = np.zeros(scores.shape, bool) if other is None else scores < values[-1]
    found = dataclasses.asdict(expected(scores, lost, n, labels=labels, fresh=fresh))
    winner = ordered[fused[0]]
    return {"expected": found, "power": None if other is None else power(winner, n, found["bias"])}


def power(winner: Row, n: int, bias: float = 0.0) -> dict[str, Any]:
    """What the exact McNemar test of ``n`` queries can see at the discordance of a row, and at its effect.

    ``smallest``: the smallest net share of wins found with 80% power (null: none is). ``power``: at the row's own
    effect, and ``power_corrected`` at that effect less the winner's curse. ``queries``, ``queries_corrected``: how many
    give 80% power; null when a million do not, or when there is no effect.
    """
    wins, losses = winner["wins"] or 0, winner["losses"] or 0
    discordance, effect = (wins + losses) / winner["n"], (wins - losses) / winner["n"]
    corrected = max(-discordance, min(discordance, effect - bias))
    return {
        "n": n,
        "discordance": discordance,
        "effect": effect,
        "effect_corrected": corrected,
        "smallest": smallest_effect(n, discordance),
        "power": mcnemar_power(n, discordance, effect),
        "power_corrected": mcnemar_power(n, discordance, corrected),
        "queries": queries_needed(discordance, effect) if effect > 0 else None,
        "queries_corrected": queries_needed(discordance, corrected) if corrected > 0 else None,
    }
