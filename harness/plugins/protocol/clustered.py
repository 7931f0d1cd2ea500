"""Printed tests and intervals in worlds whose questions come in clusters and whose truth is known.

A world has the clusters of a real benchmark. Each of ``TRIALS`` trials has on each query a latent normal value: a part
that its cluster shares, of variance ``correlation``, and a part of its own; seven tenths of either is common to all
trials, which so resemble each other as those of a grid do. Cut at its quantiles the value becomes an outcome: a win or
a loss with probability ``DIFFERS`` each where there is no effect, or a hit with probability 1/2. In an *uneven* world
clusters share wins alone: there a cluster's net wins are not as often positive as negative by as much, which the tests
by cluster assume.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.statistic import (
    ClusteredScore,
    Labels,
    bootstrap,
    clustered_mcnemar,
    design_effect,
    difference_interval,
    equivalence,
    max_statistic,
    trials,
    wilson,
)

TRIALS, COMMON, DIFFERS, EFFECT = 40, 0.7, 0.1, 0.1
PERMUTATIONS, RESAMPLES = 500, 500
CLUSTER = "cluster "
"""What the name of a test or interval by cluster begins with; without it, it is that by query."""


@dataclass(frozen=True)
class Behaviour:
    """errors: the share of false p <= .05.

    Without an effect: of all trials for ``p``; of worlds with one in any trial for Holm, BH and ``max p``, whose trials
    are searched. Of equivalence: of worlds in which one trial's true difference is just the margin, EFFECT.
    coverage: share of worlds in which a 95% interval holds the truth.
    """

    clusters_of: str
    correlation: float
    worlds: int
    n: int
    errors: dict[str, float]
    coverage: dict[str, float]


def behave(clusters_of: str, labels: Labels, correlation: float, worlds: int, seed: int = 0) -> Behaviour:
    """The rates of false findings and the coverage over ``worlds`` worlds with these clusters."""
    draw, apart = (np.random.Generator(np.random.PCG64([seed, part])) if part else
                   np.random.Generator(np.random.PCG64(seed)) for part in (0, 1))  # fmt: skip
    wrong: dict[str, list[float]] = {}
    held: dict[str, list[bool]] = {}
    for world in range(worlds):
        null = _tests(_outcomes(draw, labels, correlation, 0.0), labels, world)
        signs = _outcomes(draw, labels, correlation, EFFECT)[0]
        lopsided = uneven(apart, labels, correlation)
        searched = {
            "uneven max p": max_statistic(lopsided, PERMUTATIONS, world).min(keepdims=True),
            "cluster uneven max p": max_statistic(lopsided, PERMUTATIONS, world, labels).min(keepdims=True),
        }
        for name, p in {**null, **_equivalent(signs, labels), **searched}.items():
            wrong.setdefault(name, []).append(float((p <= 0.05).mean()))
        hits = (_latent(draw, labels, correlation)[0] > 0).astype(np.float64)
        for name, (truth, interval) in _intervals(signs, hits, labels).items():
            held.setdefault(name, []).append(interval[0] <= truth <= interval[1])
    rates = [{name: float(np.mean(seen)) for name, seen in table.items()} for table in (wrong, held)]
    return Behaviour(clusters_of, correlation, worlds, len(labels), *rates)


def _latent(draw: np.random.Generator, labels: Labels, correlation: float) -> NDArray[np.float64]:
    """float64[TRIALS, Q]: standard normal; queries of a cluster have the correlation."""
    count = int(labels.max()) + 1

    def among_trials(size: int) -> NDArray[np.float64]:
        own = draw.standard_normal((TRIALS, size))
        return np.asarray(COMMON**0.5 * draw.standard_normal(size) + (1 - COMMON) ** 0.5 * own)

    shared, own = among_trials(count)[:, labels], among_trials(len(labels))
    return np.asarray(correlation**0.5 * shared + (1 - correlation) ** 0.5 * own)


def _outcomes(draw: np.random.Generator, labels: Labels, correlation: float, effect: float) -> NDArray[np.float64]:
    """float64[TRIALS, Q] of 1, 0, -1: wins with probability DIFFERS + effect / 2, losses with DIFFERS - effect / 2."""
    from scipy.special import ndtri

    latent = _latent(draw, labels, correlation)
    wins, losses = latent > -ndtri(DIFFERS + effect / 2), latent < ndtri(DIFFERS - effect / 2)
    signs: NDArray[np.float64] = wins.astype(np.float64) - losses
    return signs


def uneven(draw: np.random.Generator, labels: Labels, correlation: float) -> NDArray[np.float64]:
    """float64[TRIALS, Q] of 1, 0, -1 without an effect: wins have the correlation, losses come one by one."""
    from scipy.special import ndtri

    wins, losses = (_latent(draw, labels, shared) > -ndtri(DIFFERS) for shared in (correlation, 0.0))
    return np.asarray(wins.astype(np.float64) - losses)


def _tests(signs: NDArray[np.float64], labels: Labels, seed: int) -> dict[str, NDArray[np.float64]]:
    """P values: of each trial, or the smallest of all trials, which is what a search over them reports."""
    plain = trials.mcnemar_ps((signs > 0).sum(axis=1), (signs < 0).sum(axis=1))
    by_cluster = np.array([clustered_mcnemar(own, labels) for own in signs])
    corrected = {
        "Holm p": trials.holm_ps(plain),
        "cluster Holm p": trials.holm_ps(by_cluster),
        "BH p": trials.benjamini_hochberg_ps(plain),
        "cluster BH p": trials.benjamini_hochberg_ps(by_cluster),
        "max p": max_statistic(signs, PERMUTATIONS, seed),
        "cluster max p": max_statistic(signs, PERMUTATIONS, seed, labels),
    }
    smallest = {name: ps.min(keepdims=True) for name, ps in corrected.items()}
    return {"p": plain, "cluster p": by_cluster, **smallest}


def _equivalent(signs: NDArray[np.float64], labels: Labels) -> dict[str, NDArray[np.float64]]:
    """The p of one trial that is not equivalent: its difference is the margin."""
    wins, losses, n = float((signs > 0).sum()), float((signs < 0).sum()), len(labels)
    return {
        "equivalence p": np.array([equivalence(wins, losses, n, EFFECT)]),
        "cluster equivalence p": np.array([ClusteredScore.of(signs, labels, True).equivalence(EFFECT)]),
    }


def _intervals(
    signs: NDArray[np.float64], hits: NDArray[np.float64], labels: Labels
) -> dict[str, tuple[float, tuple[float, float]]]:
    """The truth and the interval, by name."""
    n, count = len(labels), float(hits.sum())
    wins, losses = float((signs > 0).sum()), float((signs < 0).sum())
    of_hits = float(design_effect(hits, labels))
    return {
        "wilson": (0.5, wilson(count, n)),
        "cluster wilson": (0.5, wilson(count / of_hits, n / of_hits)),
        "tango": (EFFECT, difference_interval(wins, losses, n)),
        "cluster tango": (EFFECT, ClusteredScore.of(signs, labels, True).interval()),
        "bootstrap": (EFFECT, bootstrap(signs, RESAMPLES)),
        "cluster bootstrap": (EFFECT, ClusteredScore.of(signs, labels, False).interval()),
    }
