"""CombMNZ (Fox and Shaw 1994; PhaseGraph 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import total


@dataclass(frozen=True)
class CombMnz:
    """score(d) = n(d) CombSUM(d), n the number of lists that hold d.

    Values should be at least 0. Z-scores below the mean are negative: the factor then lowers a document that several
    lists hold, so over ``zscore`` this is a baseline of published sweeps and no reward of consensus.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return total([scored.values for scored in pool.lists]).mul_(pool.held)
