"""One list alone, the baseline that a fusion has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class Single:
    """score(d) = that of the named list; documents that it does not contain are left out."""

    list: str = "dense"
    reads = frozenset({"scores"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return pool[self.list].scores.clone()
