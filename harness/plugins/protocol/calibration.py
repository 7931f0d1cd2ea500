"""Calibration: how often the protocol finds effects that do not exist, and effects that do.

A world is a draw of tune and test queries from real trials' outcomes with known truth. Queries that
share gold passages are drawn together, as whole clusters, and judged by cluster, as in the harness.
In the *exchanged* world a coin decides for every cluster, for all trials together, whether its
outcomes against the reference list (dense by default) change sides: each trial's true effect is 0,
and the trials depend on one another as in reality. With a *planted* effect the coin is biased on
the clusters in which one given trial wins more or fewer than the reference, so that this trial's
true effect is known.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import Float64Array
from harness.evaluation.family import Family
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statistic import (
    Labels,
    cluster_sums,
    clustered_mcnemar,
    expected,
    flip_chances,
    holm,
    mcnemar_ps,
    share,
    too_few,
)

ALPHA = 0.05
Signs = NDArray[np.int8]
Half = tuple[Signs, Labels]
"""The outcomes int8[T, Q] of the queries of tune or test, and their clusters int64[Q] from 0 on."""


@dataclass(frozen=True)
class Rates:
    """Numbers of worlds, of ``worlds``, with an outcome.

    Args:
        world: kind of world.
        trials: number of trials.
        n: number of queries of a half.
        worlds: number of worlds.
        effect: of the planted trial.
        power: of the planted trial on test, mean over the clusters drawn for test (see
            ``clustered_power``).
        protocol: the winner of tune is shown to be better than the reference on test, by the rule
            of ``harness heldout`` (``Family.sequence``).
        best: the winner is shown to be better than the best list of tune, too.
        by_query: the same by the p by query.
        naive: the best trial is better on the queries on which it was chosen.
        holm: any trial is better on tune after Holm's correction.
        planted: the trial with the known effect is better on test.
        covered: the winner's difference from the reference on test is in the interval forecast from
            tune, before any cluster changes sides. A forecast assumes that test is like tune; if
            one cluster holds half of the questions, its coin makes them two different worlds.
    """

    world: str
    trials: int
    n: int
    worlds: int
    effect: float
    power: float
    protocol: int
    best: int
    by_query: int
    naive: int
    holm: int
    planted: int
    covered: int

    def share(self, name: str) -> float:
        """Return the share of worlds with an outcome."""
        return int(getattr(self, name)) / self.worlds


def exchanged(
    signs: Signs,
    n: int,
    worlds: int,
    planted: int = 0,
    effect: float = 0.0,
    seed: int = 0,
    labels: Labels | None = None,
    lists: int = 0,
) -> Rates:
    """Return the rates in exchanged worlds of n tune and n test queries drawn from real ones.

    Args:
        signs: int8[T, Q], +1 if a trial finds what the reference does not, -1 for the reverse.
        n: queries of a half; the last cluster may exceed it.
        worlds: number of worlds.
        planted: number of the trial with an effect.
        effect: its true net share of wins, up to ``most``.
        seed: of the draws.
        labels: int64[Q] from 0 on, each query's cluster; None: each query is one.
        lists: number of the last trials that are single lists, which cannot win.
    """
    draw = np.random.Generator(np.random.PCG64(seed))
    labels = np.arange(signs.shape[1]) if labels is None else labels
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    nets = cluster_sums(signs[planted].astype(np.float64), labels)
    reachable = most(signs[planted], labels)
    won = 0.5 + effect / (2 * reachable) if reachable else 0.5
    side = np.where(nets == 0, 1, np.sign(nets))
    sizes, fused = np.bincount(labels), len(signs) - lists
    counts, powers = Counter(covered=0), []
    for world in range(worlds):
        halves, real = [], []
        for drawn in draw.integers(0, len(sizes), size=(2, n)):
            chosen = drawn[: int(np.searchsorted(np.cumsum(sizes[drawn]), n)) + 1]
            coin = (
                np.where(draw.random(len(chosen)) < np.where(nets[chosen] == 0, 0.5, won), 1, -1)
                * side[chosen]
            )
            queries = np.concatenate([members[cluster] for cluster in chosen])
            flipped = (signs[:, queries] * np.repeat(coin, sizes[chosen])).astype(np.int8)
            names = np.repeat(np.arange(len(chosen)), sizes[chosen])
            halves.append((flipped, names))
            real.append((signs[:, queries], names))
        (tuned, of_tune), (tested, of_test) = real
        # outcomes -1, 0, 1 are scores of 0, .5, 1: the same rule, on the difference
        foretold = expected(
            (tuned[:fused] + 1) / 2,
            tuned[:fused] < 0,
            len(of_test),
            300,
            seed=world,
            labels=of_tune,
            fresh=np.bincount(of_test),
        )
        seen = float((tested[_winner(tuned[:fused])] + 1).mean()) / 2
        covered = bool(foretold.low <= seen <= foretold.high)
        counts.update(_judged(halves[0], halves[1], planted, fused), covered=covered)
        row, names = halves[1][0][planted].astype(np.float64), halves[1][1]
        untestable = share(names) and too_few(names)
        power = 0.0 if untestable else clustered_power(row, names, won, ALPHA)
        powers.append(power)
    kind = "exchanged" if effect == 0 else "planted"
    return Rates(kind, fused, n, worlds, effect, float(np.mean(powers)), **counts)


def clustered_power(signs: Float64Array, labels: Labels, won: float, alpha: float = 0.05) -> float:
    """Return the probability that ``clustered_mcnemar`` finds the system better with p <= alpha.

    A cluster's |s_c| is fixed and it is won with probability ``won``. Exact for any number of
    clusters: such sums are far from normal, and no effective number of questions gives their power.

    Args:
        signs: see ``clustered_mcnemar``.
        labels: see ``clustered_mcnemar``.
        won: probability that a cluster is won.
        alpha: level of the test.
    """
    sums = np.rint(cluster_sums(signs, labels)).astype(np.int64)
    equal, biased = flip_chances(sums, 0.5), flip_chances(sums, won)
    above = (
        2 * equal[::-1].cumsum()[::-1]
    )  # p of each net above 0, from the least sum of clusters won to the greatest
    rejected = (above <= alpha) & (2 * np.arange(len(equal)) > len(equal) - 1)
    return float(min(1.0, biased[rejected].sum()))


def most(signs: NDArray[np.int8], labels: Labels) -> float:
    """Return the greatest net share of wins of a trial if whole clusters change sides."""
    return float(np.abs(cluster_sums(signs.astype(np.float64), labels)).sum()) / len(labels)


def _winner(signs: Signs) -> int:
    """Return the trial that the rule chooses: most net wins, fewest losses, first."""
    net, losses = signs.sum(axis=1, dtype=np.int64), (signs < 0).sum(axis=1)
    return int(np.lexsort((losses, -net))[0])


def _judged(tune: Half, test: Half, planted: int, fused: int) -> dict[str, bool]:
    """Return the outcomes of a world; fused: number of the first trials, which may win."""
    signs, labels = tune[0][:fused], tune[1]
    winner, ps = _winner(signs), _p(signs, labels)
    better = signs.sum(axis=1, dtype=np.int64) > 0
    tests = _tests(tune[0][fused:], test[0][fused:], test[0][winner], test[1])
    is_better = [comparison.finding == "better" for comparison in Family.sequence(tests, 1)]
    return {
        "protocol": is_better[0],
        "best": len(is_better) > 1 and is_better[1],
        "by_query": _better(test[0][winner], np.arange(len(test[1]))),
        "naive": bool(ps[winner] <= ALPHA and better[winner]),
        "holm": bool(((holm(ps) <= ALPHA) & better).any()),
        "planted": _better(test[0][planted], test[1]),
    }


def _tests(tune: Signs, test: Signs, winner: NDArray[np.int8], labels: Labels) -> list[Comparison]:
    """Return the winner's tests on test: against the reference, and against the best list of tune.

    All outcomes are differences from the reference, so those of two trials differ as the trials do.

    Args:
        tune: int8[L, Q], outcomes of the other single lists.
        test: int8[L, Q'], the same on test.
        winner: int8[Q'], outcomes of the winner on test.
        labels: int64[Q'], clusters of test.
    """
    others = [np.zeros(len(winner))]
    if len(tune) and tune.sum(axis=1, dtype=np.int64).max() > 0:  # the reference has 0
        others.append(test[_winner(tune)].astype(np.float64))
    ours = winner.astype(np.float64)
    alike = [number > 0 and np.array_equal(ours, other) for number, other in enumerate(others)]
    return [
        Comparison.of(ours, other, labels=labels)
        for other, same in zip(others, alike, strict=True)
        if not same
    ]


def _p(signs: Signs, labels: Labels) -> Float64Array:
    """Return float64[T], the p that decides; 1 if there are too few clusters for one."""
    if not share(labels):
        return mcnemar_ps((signs > 0).sum(axis=1), (signs < 0).sum(axis=1))
    if too_few(labels):
        return np.ones(len(signs))
    return np.array([clustered_mcnemar(row.astype(np.float64), labels) for row in signs])


def _better(row: Signs, labels: Labels) -> bool:
    return bool(row.sum(dtype=np.int64) > 0 and _p(row[None], labels)[0] <= ALPHA)
