"""Tests and intervals in worlds of clustered questions with known truth.

A world has the clusters of a real benchmark. Each of ``TRIALS`` trials has a latent normal value
for each query: a part shared by its cluster, of variance ``correlation``, and a part of its own;
seven tenths of either are common to all trials, which resemble each other as those of a grid do.
Cut at its quantiles, the value becomes an outcome: a win or a loss with probability ``differs`` / 2
each if there is no effect, or a hit with probability 1/2. In an *uneven* world clusters share only
wins: a cluster's net wins are then not symmetric, which the tests by cluster assume.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.arrays import Float64Array
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statistic import (
    ClusteredScore,
    Labels,
    clustered_mcnemar,
    difference_interval,
    holm,
    mcnemar_ps,
    share,
    too_few,
)

TRIALS, COMMON, EFFECT = 40, 0.7, 0.1
RULE = "rule "
"""Prefix of the name of a test or interval that decides; without it, it is by query."""
MUSIQUE = {1: 146, 2: 42, 3: 13, 4: 7, 5: 3, 6: 4, 7: 3, 8: 1, 9: 1, 10: 2, 11: 1, 12: 1}
POPQA = {1: 228, 2: 21, 3: 12, 4: 5, 5: 4, 6: 1, 7: 1, 8: 1, 10: 1, 14: 1, 42: 1, 70: 1}
SHAPES = {
    "none shared": {1: 400},
    "MuSiQue's": MUSIQUE,
    "PopQA's": POPQA,
    "one giant": {100: 1, 1: 200},
    "30 of 10": {10: 30},
    "60 of 5": {5: 60},
    "12 of 20": {20: 12},
    "15 pairs": {2: 15},
    "12 alone": {1: 12},
}
"""Numbers of clusters by size: of the test halves of two benchmarks (417 of 804 sampled questions
of MuSiQue, 503 of PopQA), and hard cases for a test by cluster.
"""


def labels_of(sizes: dict[int, int]) -> Labels:
    """Return int64[Q], the clusters of a shape."""
    cluster_sizes = np.repeat([*sizes], [*sizes.values()])
    return np.repeat(np.arange(len(cluster_sizes)), cluster_sizes)


@dataclass(frozen=True)
class Behaviour:
    """Rates of tests and intervals in worlds of one shape of clusters.

    Args:
        clusters_of: name of the shape.
        correlation: within clusters.
        worlds: number of worlds.
        n: number of queries.
        errors: share of false p <= .05; None with too few clusters for a p. Of all trials for ``p``
            and ``uneven p``; of worlds with one in any trial for Holm's.
        coverage: share of worlds in which a 95% interval holds the truth; of all trials for
            ``uneven difference``.
    """

    clusters_of: str
    correlation: float
    worlds: int
    n: int
    errors: dict[str, float | None]
    coverage: dict[str, float | None]


def behave(
    clusters_of: str,
    labels: Labels,
    correlation: float,
    worlds: int,
    seed: int = 0,
    differs: float = 0.2,
) -> Behaviour:
    """Return the rates of false findings and the coverage over ``worlds`` worlds.

    Args:
        clusters_of: what the clusters are called.
        labels: int64[Q], the cluster of each query.
        correlation: of queries of a cluster, from 0 to 1.
        worlds: how many are made.
        seed: of what is drawn.
        differs: the probability, from 0 to 1, that a query is won or lost.
    """
    draw = np.random.Generator(np.random.PCG64(seed))
    apart = np.random.Generator(np.random.PCG64([seed, 1]))
    effect = min(EFFECT, differs / 2)
    wrong: dict[str, list[float]] = {}
    held: dict[str, list[bool]] = {}
    few = share(labels) and too_few(labels)
    for _ in range(worlds):
        signs = _outcomes(draw, labels, correlation, 0.0, differs)
        shifted = _outcomes(draw, labels, correlation, effect, differs)[0]
        lopsided = uneven(apart, labels, correlation, differs)
        p_values = _single(signs, labels)
        for start in ("", RULE):
            p_values[f"{start}Holm p"] = holm(p_values[f"{start}p"]).min(keepdims=True)
        p_values |= {
            name.replace("p", "uneven p"): ps for name, ps in _single(lopsided, labels).items()
        }
        for name, p in p_values.items():
            wrong.setdefault(name, []).append(float((p <= 0.05).mean()))
        hits = (_latent(draw, labels, correlation)[0] > 0).astype(np.float64)
        known = {"difference": effect, "score": 0.5}
        for name, (low, high) in _intervals(shifted, hits, labels).items():
            truth = known[name.removeprefix(RULE)]
            held.setdefault(name, []).append(bool(low <= truth <= high))
        for outcomes in lopsided:
            for name, (low, high) in _differences(outcomes, labels).items():
                key = name.replace("difference", "uneven difference")
                held.setdefault(key, []).append(bool(low <= 0 <= high))
    errors, coverage = _means(wrong, few), _means(held, few)
    return Behaviour(clusters_of, correlation, worlds, len(labels), errors, coverage)


def _means(seen: Mapping[str, Sequence[float]], few: bool) -> dict[str, float | None]:
    """Return the mean of each name's values; None for the rule's if there are too few clusters."""
    return {
        name: None if few and name.startswith(RULE) else float(np.mean(values))
        for name, values in seen.items()
    }


def _latent(draw: np.random.Generator, labels: Labels, correlation: float) -> Float64Array:
    """Return float64[TRIALS, Q], standard normal; queries of a cluster have the correlation."""
    count = int(labels.max()) + 1

    def among_trials(size: int) -> Float64Array:
        alone = draw.standard_normal((TRIALS, size))
        return np.asarray(COMMON**0.5 * draw.standard_normal(size) + (1 - COMMON) ** 0.5 * alone)

    shared, alone = among_trials(count)[:, labels], among_trials(len(labels))
    return np.asarray(correlation**0.5 * shared + (1 - correlation) ** 0.5 * alone)


def _outcomes(
    draw: np.random.Generator, labels: Labels, correlation: float, effect: float, differs: float
) -> Float64Array:
    """Return float64[TRIALS, Q] of 1, 0, -1 with a share ``differs`` of non-zeros and mean
    ``effect``.
    """
    from scipy.special import ndtri

    latent = _latent(draw, labels, correlation)
    won, lost = (differs + effect) / 2, (differs - effect) / 2
    wins, losses = latent > -ndtri(won), latent < ndtri(lost)
    signs: Float64Array = wins.astype(np.float64) - losses
    return signs


def uneven(
    draw: np.random.Generator, labels: Labels, correlation: float, differs: float = 0.2
) -> Float64Array:
    """Return float64[TRIALS, Q] of 1, 0, -1 without an effect; only wins have the correlation."""
    from scipy.special import ndtri

    wins, losses = (
        _latent(draw, labels, shared) > -ndtri(differs / 2) for shared in (correlation, 0.0)
    )
    return np.asarray(wins.astype(np.float64) - losses)


def _single(signs: Float64Array, labels: Labels) -> dict[str, Float64Array]:
    """Return the p-values of each trial, by query, and by cluster if queries share one."""
    plain = mcnemar_ps((signs > 0).sum(axis=1), (signs < 0).sum(axis=1))
    by_cluster = (
        np.array([clustered_mcnemar(row, labels) for row in signs]) if share(labels) else plain
    )
    return {"p": plain, f"{RULE}p": by_cluster}


def _intervals(
    signs: Float64Array, hits: Float64Array, labels: Labels
) -> dict[str, tuple[float, float]]:
    """Return 95% intervals of a score and of a difference, by query and by the rule."""
    comparison = Comparison.of(hits, np.zeros_like(hits), labels=labels)
    return {
        "score": comparison.wilson or (0.0, 1.0),
        f"{RULE}score": comparison.wilson_cluster or (0.0, 1.0),
        **_differences(signs, labels),
    }


def _differences(signs: Float64Array, labels: Labels) -> dict[str, tuple[float, float]]:
    query = difference_interval(int((signs > 0).sum()), int((signs < 0).sum()), len(labels))
    ruled = ClusteredScore.of(signs, labels, "wins").interval() if share(labels) else query
    return {"difference": query, f"{RULE}difference": ruled}
