"""Many comparisons at once: p values adjusted for their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.errors import HarnessError
from harness.evaluation.statistic.trials import Values, benjamini_hochberg_ps, holm_ps


def holm(ps: ArrayLike | Sequence[float | None]) -> NDArray[np.float64]:
    """Holm's step-down p values (Holm 1979), float64[n]: at most alpha chance of **any** false finding.

    ps: raw p values; None or NaN stands for no test, is passed through as NaN and does not count.

    >>> [round(p, 3) for p in holm([0.01, 0.04, None, 0.03]).tolist()]
    [0.03, 0.06, nan, 0.06]
    """
    return _adjusted(ps, holm_ps)


def benjamini_hochberg(ps: ArrayLike | Sequence[float | None]) -> NDArray[np.float64]:
    """Benjamini & Hochberg's (1995) p values, float64[n]: at most alpha of the findings are expected to be false.

    ps: as in ``holm``. Holds for independent and for positively dependent tests.
    """
    return _adjusted(ps, benjamini_hochberg_ps)


def _adjusted(ps: ArrayLike | Sequence[float | None], method: Callable[[Values], Values]) -> NDArray[np.float64]:
    adjusted = np.array(ps, dtype=np.float64)
    if adjusted.ndim != 1 or ((adjusted < 0) | (adjusted > 1)).any():
        raise HarnessError("p values must be a list of numbers in [0, 1], with None where nothing was tested")
    tested = ~np.isnan(adjusted)
    adjusted[tested] = method(adjusted[tested])
    return adjusted
