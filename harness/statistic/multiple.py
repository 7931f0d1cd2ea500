"""Many comparisons at once: p values adjusted for their number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.errors import HarnessError


def holm(ps: ArrayLike | Sequence[float | None]) -> NDArray[np.float64]:
    """Holm's step-down p values (Holm 1979), float64[n]: at most alpha chance of **any** false finding.

    ps: raw p values; None or NaN stands for no test, is passed through as NaN and does not count.

    >>> [round(p, 3) for p in holm([0.01, 0.04, None, 0.03]).tolist()]
    [0.03, 0.06, nan, 0.06]
    """
    raw, order = _tested(ps)
    raw[order] = np.minimum(1, np.maximum.accumulate(raw[order] * np.arange(len(order), 0, -1)))
    return raw


def benjamini_hochberg(ps: ArrayLike | Sequence[float | None]) -> NDArray[np.float64]:
    """Benjamini & Hochberg's (1995) p values, float64[n]: at most alpha of the findings are expected to be false.

    ps: as in ``holm``. Holds for independent and for positively dependent tests.
    """
    raw, order = _tested(ps)
    shares = raw[order] / (np.arange(1, len(order) + 1) / len(order))
    raw[order] = np.minimum(1, np.minimum.accumulate(shares[::-1])[::-1])
    return raw


def _tested(ps: ArrayLike | Sequence[float | None]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The raw p values, and where the tested ones are, smallest first."""
    raw = np.array(ps, dtype=np.float64)
    if raw.ndim != 1 or ((raw < 0) | (raw > 1)).any():
        raise HarnessError("p values must be a list of numbers in [0, 1], with None where nothing was tested")
    tested = np.flatnonzero(~np.isnan(raw))
    return raw, tested[np.argsort(raw[tested], kind="stable")]
