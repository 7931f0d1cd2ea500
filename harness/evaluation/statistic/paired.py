"""The exact McNemar test and the odds ratio of two systems on the same questions."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import HarnessError


def mcnemar(wins: int, losses: int) -> float:
    """Return the exact two-sided p of ``wins`` against ``losses``.

    p = min(1, 2 P(X <= min(W, L))), X ~ Binomial(W + L, 1/2); 1 if there are none. It is the sign
    test of the questions that differ, so it also serves metrics that are not 0/1.

    Args:
        wins: questions that only the system answers, 0 or more.
        losses: questions that only the other one answers, 0 or more.

    >>> round(mcnemar(8, 1), 3)
    0.039
    """
    check_counts(True, wins=wins, losses=losses)
    return float(mcnemar_ps(np.array(int(wins)), np.array(int(losses))))


def mcnemar_ps(wins: Int64Array, losses: Int64Array) -> Float64Array:
    """Return float64[T], the exact McNemar p of each trial's wins against its losses.

    It uses SciPy's special functions, because importing statsmodels or scipy.stats takes longer
    than a short `harness compare`.
    """
    from scipy.special import bdtr

    p: Float64Array = np.minimum(1, 2 * bdtr(np.minimum(wins, losses), wins + losses, 0.5))
    return p


def odds_ratio(successes: int, baseline: int, n: int) -> float:
    """Return the ratio of the odds of two proportions of n questions: a (n - b) / ((n - a) b).

    PG Table 4. inf if only the denominator is 0, NaN if both are.

    >>> round(odds_ratio(49, 26, 66), 2)
    4.43
    """
    check_counts(True, successes=successes, baseline=baseline, n=n)
    ours, theirs, total = int(successes), int(baseline), int(n)
    if max(ours, theirs) > total:
        raise HarnessError(
            f"odds_ratio: successes must be at most n={total}, got {max(ours, theirs)}"
        )
    above, below = ours * (total - theirs), (total - ours) * theirs
    if below == 0:
        return math.inf if above else math.nan
    return above / below


def check_counts(whole: bool = False, **named: float) -> None:
    """Check that numbers are finite and 0 or more and, if ``whole``, whole; raise HarnessError
    otherwise.
    """
    for name, value in named.items():
        if not (
            isinstance(value, Real) and 0 <= value < math.inf and (not whole or value == int(value))
        ):
            raise HarnessError(
                f"{name} must be a {'whole ' if whole else ''}number, at least 0, got "
                f"{name}={value}"
            )
