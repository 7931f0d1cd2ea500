"""The harness judged by itself: how often its protocol finds what is not there, and what is there.

A world is a draw of tune and test queries from real trials' outcomes in which the truth is known.
Queries that share gold passages are drawn together, as whole clusters, and judged by cluster, as
the harness does. In the *exchanged* world the outcomes of every cluster, of all trials together,
keep or change their side against the reference list (dense by default) by a coin: each trial's true
effect is 0 and the trials depend on one another as they do in reality. With a *planted* effect the
coin is biased on the clusters where one given trial wins more or fewer than the reference, so that
this trial's true effect is known. In the *permuted* world the other lists belong to other queries,
so that nothing helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.statistic import (
    Labels,
    cluster_sums,
    clustered_mcnemar,
    clustered_power,
    expected,
    holm,
    mcnemar_ps,
    share,
    too_few,
    wilson,
)

ALPHA = 0.05
Signs = NDArray[np.int8]
Half = tuple[Signs, Labels]
"""The outcomes int8[T, Q] of the queries of tune, or of test, and their clusters int64[Q] from 0
on.
"""


@dataclass(frozen=True)
class Rates:
    """Shares of worlds, as counts of ``worlds``.

    protocol: the winner on tune is significantly better than the reference on test; by_query: it is
    by the p by query.
    naive: the best trial is better, on the very queries that it was chosen on.    holm:
    any trial is better on tune after that correction.    planted: the trial with the known effect
    is better on test.    power: of that,
    the mean over the clusters that the worlds drew for test (see ``clustered_power``).    covered:
    the winner's difference from the reference on test lies in the interval that was foretold from
    tune, before any cluster changes sides: a forecast takes for granted that test is like tune,
    and where one cluster holds half of the questions its coin makes them two different worlds.
    """

    world: str
    trials: int
    n: int
    worlds: int
    effect: float
    power: float
    protocol: int
    by_query: int
    naive: int
    holm: int
    planted: int
    covered: int

    def share(self, name: str) -> tuple[float, float, float]:
        """The share of worlds, and its 95% Wilson interval."""
        count = int(getattr(self, name))
        return (count / self.worlds, *wilson(count, self.worlds))


def exchanged(
    signs: Signs,
    n: int,
    worlds: int,
    planted: int = 0,
    effect: float = 0.0,
    seed: int = 0,
    labels: Labels | None = None,
) -> Rates:
    """The rates in ``worlds`` exchanged worlds of n tune and n test queries drawn from real ones.

    signs: int8[T, Q], +1 where a trial finds what the reference does not, -1 the reverse. effect:
    true net share of wins of trial ``planted``, at most what ``most`` says. labels: int64[Q] from 0
    on, each query's cluster; the last cluster that is drawn may go beyond n. None: each query by
    itself.
    """
    draw = np.random.Generator(np.random.PCG64(seed))
    labels = np.arange(signs.shape[1]) if labels is None else labels
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    nets = cluster_sums(signs[planted].astype(np.float64), labels)
    reachable = most(signs[planted], labels)
    won = 0.5 + effect / (2 * reachable) if reachable else 0.5
    side = np.where(nets == 0, 1, np.sign(nets))
    sizes = np.bincount(labels)
    found, powers = [], []
    for world in range(worlds):
        halves, real = [], []
        for drawn in draw.integers(0, len(sizes), size=(2, n)):
            own = drawn[: int(np.searchsorted(np.cumsum(sizes[drawn]), n)) + 1]
            coin = (
                np.where(draw.random(len(own)) < np.where(nets[own] == 0, 0.5, won), 1, -1)
                * side[own]
            )
            queries = np.concatenate([members[cluster] for cluster in own])
            flipped = (signs[:, queries] * np.repeat(coin, sizes[own])).astype(np.int8)
            names = np.repeat(np.arange(len(own)), sizes[own])
            halves.append((flipped, names))
            real.append((signs[:, queries], names))
        covered = _covered(real[0], real[1], world)
        found.append({**_judged(halves[0], halves[1], planted), "covered": covered})
        row, own = halves[1][0][planted].astype(np.float64), halves[1][1]
        powers.append(0.0 if share(own) and too_few(own) else clustered_power(row, own, won, ALPHA))
    power = float(np.mean(powers))
    return _rates(
        "exchanged" if effect == 0 else "planted", signs.shape[0], n, effect, power, found
    )


def most(signs: NDArray[np.int8], labels: Labels) -> float:
    """The greatest net share of wins that a trial can have where whole clusters change sides."""
    return float(np.abs(cluster_sums(signs.astype(np.float64), labels)).sum()) / len(labels)


def judged(world: str, worlds: Sequence[tuple[Half, Half]]) -> Rates:
    """The rates over worlds whose tune and test outcomes are given; nothing is planted in them."""
    found = [
        {**_judged(tune, test, 0), "covered": _covered(tune, test, seed)}
        for seed, (tune, test) in enumerate(worlds)
    ]
    trials, n = worlds[0][0][0].shape
    return _rates(world, trials, n, 0.0, 0.0, found)


def _winner(signs: Signs) -> int:
    """Return the trial that the rule chooses: most net wins, fewest losses, first."""
    net, losses = signs.sum(axis=1, dtype=np.int64), (signs < 0).sum(axis=1)
    return int(np.lexsort((losses, -net))[0])


def _judged(tune: Half, test: Half, planted: int) -> dict[str, bool]:
    signs, labels = tune
    winner, ps = _winner(signs), _p(signs, labels)
    better = signs.sum(axis=1, dtype=np.int64) > 0
    return {
        "protocol": _better(test[0][winner], test[1]),
        "by_query": _better(test[0][winner], np.arange(len(test[1]))),
        "naive": bool(ps[winner] <= ALPHA and better[winner]),
        "holm": bool(((holm(ps) <= ALPHA) & better).any()),
        "planted": _better(test[0][planted], test[1]),
    }


def _covered(tune: Half, test: Half, seed: int) -> bool:
    """Return whether the forecast from tune holds the winner's mean outcome on test.

    Outcomes -1, 0, 1 are scores of 0, .5, 1: the same rule, on the difference from the reference.
    """
    signs, labels = tune
    fresh = np.bincount(test[1])
    foretold = expected(
        (signs + 1) / 2, signs < 0, len(test[1]), 300, seed=seed, labels=labels, fresh=fresh
    )
    seen = float((test[0][_winner(signs)] + 1).mean()) / 2
    return bool(foretold.low <= seen <= foretold.high)


def _rates(
    world: str, trials: int, n: int, effect: float, power: float, found: Sequence[dict[str, bool]]
) -> Rates:
    counts = {name: sum(one[name] for one in found) for name in found[0]}
    return Rates(world, trials, n, len(found), effect, power, **counts)


def _p(signs: Signs, labels: Labels) -> NDArray[np.float64]:
    """float64[T]: the p that decides; 1 where clusters are too few for one."""
    if not share(labels):
        return mcnemar_ps((signs > 0).sum(axis=1), (signs < 0).sum(axis=1))
    if too_few(labels):
        return np.ones(len(signs))
    return np.array([clustered_mcnemar(row.astype(np.float64), labels) for row in signs])


def _better(row: Signs, labels: Labels) -> bool:
    return bool(row.sum(dtype=np.int64) > 0 and _p(row[None], labels)[0] <= ALPHA)
