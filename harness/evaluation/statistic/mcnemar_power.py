"""The power of the exact McNemar test, its smallest detectable effect, the questions it needs;
the smallest mean that a t test detects.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import bounded
from harness.evaluation.statistic.p_values import check_counts

MOST_QUERIES = 1_000_000
"""``queries_needed`` does not look above this number."""
SUREST = 0.999
"""The highest power that may be requested: no number of questions gives 1."""


def mcnemar_power(n: int, discordance: float, effect: float, alpha: float = 0.05) -> float:
    """Return the probability that exact two-sided McNemar on ``n`` questions has p <= ``alpha``.

    Duffy (1984). D ~ Binomial(n, discordance) questions differ; W ~ Binomial(D, (discordance +
    effect) / (2 discordance)) are won. Values of D more than ten standard deviations away are left
    out.

    Args:
        n: number of questions.
        discordance: share of questions on which the systems differ, (W + L) / n, in [0, 1].
        effect: net share won, (W - L) / n, in [-discordance, discordance].
        alpha: level of the test.
    """
    check_counts(True, n=n)
    bounded("discordance", discordance, 0, 1)
    bounded("effect", effect, -discordance, discordance)
    bounded("alpha", alpha, 0, 1, open_low=True)
    if discordance == 0 or n == 0:
        return 0.0
    differ, weight, critical = _design(int(n), float(discordance), float(alpha))
    won = (discordance + effect) / (2 * discordance)
    rejected = _cdf(critical, differ, won) + _cdf(critical, differ, 1 - won)
    return float(min(1.0, (weight * rejected).sum()))


@functools.lru_cache(maxsize=64)
def _design(
    n: int, discordance: float, alpha: float
) -> tuple[Int64Array, Float64Array, Int64Array]:
    """Return the likely numbers of differing questions, their probabilities and critical values.

    They do not depend on the effect.
    """
    spread = 10 * (n * discordance * (1 - discordance)) ** 0.5 + 10
    differ = np.arange(
        max(0, int(n * discordance - spread)), min(n, int(n * discordance + spread)) + 1
    )
    weight = _cdf(differ, n, discordance) - _cdf(differ - 1, n, discordance)
    return differ, weight, _critical(differ, alpha)


@functools.lru_cache(maxsize=256)
def smallest_effect(
    n: int, discordance: float, power: float = 0.8, alpha: float = 0.05
) -> float | None:
    """Return the smallest net share won that the test finds with probability ``power``.

    Times n it is the smallest detectable net number of wins. None if not even W = D is enough.

    Args:
        n: see ``mcnemar_power``.
        discordance: see ``mcnemar_power``.
        alpha: see ``mcnemar_power``.
        power: at most .999.
    """
    bounded("power", power, 0, SUREST, open_low=True)
    if mcnemar_power(n, discordance, discordance, alpha) < power:
        return None
    low, high = 0.0, float(discordance)
    for _ in range(50):
        middle = (low + high) / 2
        enough = mcnemar_power(n, discordance, middle, alpha) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


@functools.lru_cache(maxsize=256)
def queries_needed(
    discordance: float, effect: float, power: float = 0.8, alpha: float = 0.05
) -> int | None:
    """Return how many questions give the test ``power``; None without an effect or above a million.

    Exact power is a saw-tooth in n: from the answer on, the test keeps the power for at least a
    tenth more questions.

    Args:
        discordance: see ``mcnemar_power``, e.g. as measured on tune.
        effect: see ``mcnemar_power``.
        alpha: see ``mcnemar_power``.
        power: at most .999.
    """
    bounded("power", power, 0, SUREST, open_low=True)
    if effect == 0:
        return None
    return first_enough(lambda n: mcnemar_power(n, discordance, effect, alpha) >= power)


def first_enough(enough: Callable[[int], bool]) -> int | None:
    """Return the number of questions from which on a power that is a saw-tooth is enough.

    From the answer on it is enough for at least a tenth more questions. None: it is above a
    million.

    Args:
        enough: whether the power with n questions is enough.
    """
    high = 1
    while not enough(high):
        high *= 2
        if high > MOST_QUERIES:
            return None
    low, first = high // 2, high
    while first - low > 1:
        middle = (low + first) // 2
        low, first = (low, middle) if enough(middle) else (middle, first)
    teeth = range(first, first + first // 10 + 10, max(1, first // 300))
    last_failure = max((n for n in teeth if not enough(n)), default=None)
    return first if last_failure is None else last_failure + 1


def _critical(differ: Int64Array, alpha: float) -> Int64Array:
    """Return the largest min(W, L) at which the test rejects, by number of differing questions; -1:
    never.
    """
    width = -NormalDist().inv_cdf(alpha / 2) * np.sqrt(differ) / 2
    critical = np.maximum((differ / 2 - width).astype(np.int64), -1)
    while True:  # the normal approximation is off by one or two
        higher = 2 * _cdf(critical + 1, differ, 0.5) <= alpha
        lower = 2 * _cdf(critical, differ, 0.5) > alpha
        if not (higher | lower).any():
            return critical
        critical += higher.astype(np.int64) - lower


def _cdf(k: Int64Array, n: Int64Array | int, p: float) -> Float64Array:
    """Return P[X <= k], X ~ Binomial(n, p); 0 below 0."""
    from scipy.special import bdtr

    return np.where(k < 0, 0.0, bdtr(np.maximum(k, 0), n, p))


def smallest_mean(error: float, degrees: float, alpha: float = 0.05) -> float | None:
    """Return the smallest mean difference that a two-sided t test at ``alpha`` finds with about
    80% power.

    (t of 1 - alpha / 2 + t of .8) error, with Student's quantiles (Bloom 1995, the minimum
    detectable effect).

    Args:
        error: standard error of the mean, 0 or more; None is returned for 0.
        degrees: degrees of freedom, above 0; None is returned below 1.
        alpha: level of the test.
    """
    if degrees < 1 or not error > 0:
        return None
    from scipy.special import stdtrit

    return float((stdtrit(degrees, 1 - alpha / 2) + stdtrit(degrees, 0.8)) * error)
