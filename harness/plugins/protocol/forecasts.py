"""Forecasts on re-splits of real outcomes, compared with the other half."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.benchmark.split import clusters
from harness.core.arrays import BoolArray, Float64Array, Int32Array
from harness.evaluation.statistic import expected

RESAMPLES = 1000
"""Resamples of each forecast: enough for an interval's ends, a fifth of those of a sweep."""


@dataclass(frozen=True)
class IntervalCoverage:
    """How often the forecast's 95% interval holds the winner's score on the other half.

    Args:
        benchmark: its name.
        split: ``random`` (each query by a coin) or ``cluster`` (whole clusters by a coin).
        splits: number of splits.
        n: mean number of test queries.
        inside: number of splits inside the interval.
        half_width: of the interval, mean.
        bias: mean forecast minus mean score.
    """

    benchmark: str
    split: str
    splits: int
    n: float
    inside: int
    half_width: float
    bias: float


def check_forecasts(
    name: str,
    scores: Float64Array,
    losses: BoolArray,
    gold: Int32Array,
    splits: int,
    seed: int = 0,
) -> list[IntervalCoverage]:
    """Return the coverage of random and of cluster re-splits.

    Args:
        name: of the benchmark.
        scores: float64[T, Q], as for ``expected``, over all queries.
        losses: bool[T, Q], as for ``expected``.
        gold: int32[Q, H].
        splits: number of splits.
        seed: of the draws.
    """
    draw, whole = np.random.Generator(np.random.PCG64(seed)), clusters(gold)
    coverages = []
    for split in ("random", "cluster"):
        groups = whole if split == "cluster" else np.arange(len(gold))
        seen = []
        for number in range(splits):
            tune = (draw.random(int(groups.max()) + 1) < 0.5)[groups]
            if tune.all() or not tune.any():
                continue
            net, lost = scores[:, tune].sum(axis=1), losses[:, tune].sum(axis=1)
            score = float(scores[np.lexsort((lost, -net))[0], ~tune].mean())
            labels, fresh = clusters(gold[tune]), np.bincount(clusters(gold[~tune]))
            forecast = expected(
                scores[:, tune],
                losses[:, tune],
                int((~tune).sum()),
                RESAMPLES,
                seed=number,
                labels=labels,
                fresh=fresh,
            )
            seen.append(
                (
                    forecast.low <= score <= forecast.high,
                    (forecast.high - forecast.low) / 2,
                    forecast.score - score,
                    forecast.n,
                )
            )
        held, half, bias, n = (float(np.mean(column)) for column in zip(*seen, strict=True))
        coverages.append(
            IntervalCoverage(name, split, len(seen), n, round(held * len(seen)), half, bias)
        )
    return coverages
