"""Inverse square ranks with the logarithm of the number of lists (Mourão, Martins and Magalhães
2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.plugins.classic.fuser.logn_isr import LognIsr


@dataclass(frozen=True)
class LogIsr:
    """score(d) = ln n(d) sum_l 1 / rank_l(d)^2, n(d) the number of lists l that contain d.

    ln 1 = 0 counts as 1e-13, so that documents of one list keep its order, after all others.
    """

    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return LognIsr(sigma=0)(pool)
