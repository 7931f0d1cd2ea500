"""The harness judged by itself: how often its protocol finds what is not there, and what is there.

A world is a draw of tune and test queries from real trials' outcomes in which the truth is known. In the *exchanged*
world the outcomes of every query, of all trials together, keep or change their side against the reference list (dense
by default) by a coin: each trial's true effect is 0 and the trials depend on one another as they do in reality (the
coin of the max-statistic test). With a *planted* effect the coin is biased on the queries where one given trial differs
from the reference, so that this trial's true effect is known. In the *permuted* world the other lists belong to other
queries, so that nothing helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.statistic import expected, holm_ps, max_statistic, mcnemar_power, mcnemar_ps, wilson

ALPHA = 0.05
Signs = NDArray[np.int8]


@dataclass(frozen=True)
class Rates:
    """Shares of worlds, as counts of ``worlds``.

    protocol: the winner on tune is significantly better than the reference on test.    naive: the best trial is, on the
    very queries that it was chosen on.    holm_ps, maximum: any trial is better on tune after that correction.
    planted: the trial with the known effect is better on test.    covered: the winner's difference from the reference
    on test lies in the interval that was foretold from tune.
    """

    world: str
    trials: int
    n: int
    worlds: int
    effect: float
    power: float
    protocol: int
    naive: int
    holm: int
    maximum: int
    planted: int
    covered: int

    def share(self, name: str) -> tuple[float, float, float]:
        """The share of worlds, and its 95% Wilson interval."""
        count = int(getattr(self, name))
        return (count / self.worlds, *wilson(count, self.worlds))


def exchanged(signs: Signs, n: int, worlds: int, planted: int = 0, effect: float = 0.0, seed: int = 0) -> Rates:
    """The rates in ``worlds`` exchanged worlds of n tune and n test queries drawn from real ones.

    signs: int8[T, Q], +1 where a trial finds what the reference does not, -1 the reverse. effect: true net share of
    wins of trial ``planted``, at most the share of queries on which it differs from the reference.
    """
    draw = np.random.Generator(np.random.PCG64(seed))
    differs = float(np.abs(signs[planted]).mean())
    won = 0.5 + effect / (2 * differs) if differs else 0.5
    side = np.where(signs[planted] == 0, 1, signs[planted])
    found = []
    for world in range(worlds):
        halves = []
        for queries in draw.integers(0, signs.shape[1], size=(2, n)):
            coin = np.where(draw.random(n) < np.where(signs[planted, queries] == 0, 0.5, won), 1, -1)
            halves.append((signs[:, queries] * (coin * side[queries])).astype(np.int8))
        found.append(_judged(halves[0], halves[1], planted, world))
    power = mcnemar_power(n, differs, effect)
    return _rates("exchanged" if effect == 0 else "planted", signs.shape[0], n, effect, power, found)


def judged(world: str, worlds: Sequence[tuple[Signs, Signs]]) -> Rates:
    """The rates over worlds whose tune and test outcomes are given; nothing is planted in them."""
    found = [_judged(tune, test, 0, seed) for seed, (tune, test) in enumerate(worlds)]
    trials, n = worlds[0][0].shape
    return _rates(world, trials, n, 0.0, 0.0, found)


def _judged(tune: Signs, test: Signs, planted: int, seed: int) -> dict[str, bool]:
    net, losses = tune.sum(axis=1, dtype=np.int64), (tune < 0).sum(axis=1)
    winner = int(np.lexsort((losses, -net))[0])
    ps = _p(tune)
    better = net > 0
    # The outcomes -1, 0, 1 as scores of 0, .5, 1: the same rule, on the difference from the reference.
    foretold = expected((tune + 1) / 2, tune < 0, test.shape[1], 300, seed=seed)
    seen = float((test[winner] + 1).mean()) / 2
    return {
        "protocol": _better(test[winner]),
        "naive": bool(ps[winner] <= ALPHA and better[winner]),
        "holm": bool(((holm_ps(ps) <= ALPHA) & better).any()),
        "maximum": bool(((max_statistic(tune, 500, seed) <= ALPHA) & better).any()),
        "planted": _better(test[planted]),
        "covered": foretold.low <= seen <= foretold.high,
    }


def _rates(world: str, trials: int, n: int, effect: float, power: float, found: Sequence[dict[str, bool]]) -> Rates:
    counts: dict[str, Any] = {name: sum(one[name] for one in found) for name in found[0]}
    return Rates(world, trials, n, len(found), effect, power, **counts)


def _p(signs: Signs) -> NDArray[np.float64]:
    return mcnemar_ps((signs > 0).sum(axis=-1), (signs < 0).sum(axis=-1))


def _better(row: Signs) -> bool:
    return bool(row.sum(dtype=np.int64) > 0 and _p(row) <= ALPHA)
