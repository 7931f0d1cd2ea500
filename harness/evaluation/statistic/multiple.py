"""p-values adjusted for the number of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from harness.core.arrays import Float64Array
from harness.core.errors import HarnessError

Values = Float64Array


def holm(ps: ArrayLike | Sequence[float | None]) -> Float64Array:
    """Return Holm's (1979) step-down p-values, float64[n], which bound the chance of **any** false
    finding.

    Args:
        ps: raw p-values; None or NaN means no test, stays NaN and does not count.

    >>> [round(p, 3) for p in holm([0.01, 0.04, None, 0.03]).tolist()]
    [0.03, 0.06, nan, 0.06]
    """
    return _adjusted(ps, _step_down)


def benjamini_hochberg(ps: ArrayLike | Sequence[float | None]) -> Float64Array:
    """Return Benjamini & Hochberg's (1995) p-values, float64[n], which bound the false discovery
    rate.

    Valid for independent and for positively dependent tests.

    Args:
        ps: see ``holm``.
    """
    from scipy.stats import false_discovery_control

    return _adjusted(ps, false_discovery_control)


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


def _step_down(ps: Values) -> Values:
    order = np.argsort(ps, kind="stable")
    adjusted = np.empty_like(ps)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1)))
    return adjusted


def _adjusted(
    ps: ArrayLike | Sequence[float | None], method: Callable[[Values], Values]
) -> Float64Array:
    try:
        adjusted = np.array(ps, dtype=np.float64)
    except (TypeError, ValueError):
        adjusted = np.array(np.nan)
    if adjusted.ndim != 1 or ((adjusted < 0) | (adjusted > 1)).any():
        raise HarnessError("p values must be a list of numbers in [0, 1], with None for no test")
    tested = ~np.isnan(adjusted)
    adjusted[tested] = method(adjusted[tested])
    return adjusted
