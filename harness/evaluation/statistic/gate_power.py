"""How often the gate of 0/1 scores passes, and how many questions that takes."""

from __future__ import annotations

import functools
from statistics import NormalDist

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import bounded
from harness.evaluation.statistic.intervals import tango_z
from harness.evaluation.statistic.mcnemar_power import SUREST, first_enough
from harness.evaluation.statistic.p_values import check_counts

DEVIATIONS = 6
"""Numbers of differing questions further from their mean are left out."""
CRITICAL = NormalDist().inv_cdf(0.975)


@functools.lru_cache(maxsize=256)
def gate_power(n: int, discordance: float, effect: float, bound: float) -> float:
    """Return the probability that Tango's 95% interval of (W - L) / n lies above ``bound``.

    D ~ Binomial(n, discordance) questions differ; W ~ Binomial(D, (discordance + effect) / (2
    discordance)) are won.

    Args:
        n: number of questions.
        discordance: share of questions on which the systems differ, in (0, 1].
        effect: the true net share won, in [-discordance, discordance].
        bound: in (-1, 1).
    """
    from scipy.special import bdtrc
    from scipy.stats import binom

    check_counts(n=n)
    bounded("discordance", discordance, 0, 1, open_low=True)
    bounded("effect", effect, -discordance, discordance)
    if n == 0:
        return 0.0
    reach = DEVIATIONS * (n * discordance * (1 - discordance)) ** 0.5 + DEVIATIONS
    middle = n * discordance
    differ = np.arange(max(0, int(middle - reach)), min(n, int(middle + reach)) + 1)
    weight: Float64Array = binom.pmf(differ, n, discordance)
    needed = _wins_needed(n, differ, bound)
    won = (discordance + effect) / (2 * discordance)
    passes = np.where(needed > 0, bdtrc(np.maximum(needed - 1, 0), differ, won), 1.0)
    return float((weight * np.where(needed > differ, 0.0, passes)).sum())


def _wins_needed(n: int, differ: Int64Array, bound: float) -> Int64Array:
    """Return the smallest W whose interval lies above ``bound``, for each number of differing
    questions; D + 1: none does.

    With one more differing question it is the same or more, by at most one.
    """
    needed = np.empty(len(differ), dtype=np.int64)
    wins = 0
    for place, count in enumerate(differ.tolist()):
        if not place:
            low, wins = -1, count + 1
            while wins - low > 1:
                middle = (low + wins) // 2
                above = tango_z(middle, count - middle, n, bound) > CRITICAL
                low, wins = (low, middle) if above else (middle, wins)
        while wins <= count and tango_z(wins, count - wins, n, bound) <= CRITICAL:
            wins += 1
        needed[place] = wins
    return needed


@functools.lru_cache(maxsize=256)
def gate_questions_needed(
    discordance: float, effect: float, bound: float, power: float = 0.8
) -> int | None:
    """Return how many questions let the gate pass with probability ``power``; None if ``effect`` is
    not above ``bound``, or above a million.

    Args:
        discordance: see ``gate_power``.
        effect: see ``gate_power``.
        bound: see ``gate_power``.
        power: at most .999.
    """
    bounded("power", power, 0, SUREST, open_low=True)
    if effect <= bound:
        return None
    return first_enough(lambda n: gate_power(n, discordance, effect, bound) >= power)
