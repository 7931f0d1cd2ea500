"""Exact McNemar and odds ratio of two systems, and p-values corrected for several comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

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
        raise ValueError(
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


def holm(ps: ArrayLike | Sequence[float | None]) -> Float64Array:
    """Return Holm's (1979) step-down p-values, float64[n], which bound the chance of **any** false
    finding.

    Args:
        ps: raw p-values; None or NaN means no test, stays NaN and does not count.

    >>> [round(p, 3) for p in holm([0.01, 0.04, None, 0.03]).tolist()]
    [0.03, 0.06, nan, 0.06]
    """
    try:
        adjusted = np.array(ps, dtype=np.float64)
    except (TypeError, ValueError):
        adjusted = np.array(np.nan)
    if adjusted.ndim != 1 or ((adjusted < 0) | (adjusted > 1)).any():
        raise ValueError("p values must be a list of numbers in [0, 1], with None for no test")
    tested = np.flatnonzero(~np.isnan(adjusted))
    order = tested[np.argsort(adjusted[tested], kind="stable")]
    steps = adjusted[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(steps))
    return adjusted


def charge(evaluation: int) -> int:
    """Return the square of the number of an evaluation of a test half, by which its p is
    multiplied.

    It is 1 for the first evaluation and on tune (0). The chance of a false finding in any
    evaluation is then at most the sum of .05 / k^2 over k = 1, 2, ..., which is .05 pi^2 / 6 =
    .0822, however many follow.

    >>> [charge(evaluation) for evaluation in (0, 1, 2, 5)]
    [1, 1, 4, 25]
    """
    return max(1, evaluation) ** 2
