"""Unchanged scores: value_i = s_i."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.normalizer import ZeroAbsent


@dataclass(frozen=True)
class Raw(ZeroAbsent):
    """value_i = s_i; values are any numbers, and an absent document has 0."""

    unit: ClassVar[bool] = False

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        return scores
