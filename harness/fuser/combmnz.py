"""CombMNZ (Fox and Shaw 1994; PhaseGraph 2; SPEC 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fuser import Calibrated
from harness.fuser.combsum import CombSum


@dataclass(frozen=True)
class CombMnz:
    """score(d) = number of lists that hold d, times CombSUM(d)."""

    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return CombSum()(pool).mul_(pool.held)
