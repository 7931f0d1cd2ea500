"""CombSUM (Fox and Shaw 1994; PhaseGraph 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import total


@dataclass(frozen=True)
class CombSum:
    """score(d) = sum_l p_l(d), d's normalised value in each list l, or the absent value if l lacks
    d.
    """

    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return total([scored.values for scored in pool.lists])
