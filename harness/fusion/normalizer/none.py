"""Scores as they are: value_i = s_i."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.normalizer import ZeroAbsent


@dataclass(frozen=True)
class Raw(ZeroAbsent):
    """s_i. Values are any numbers; an absent document has 0."""

    unit: ClassVar[bool] = False

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """float64[Q, N]."""
        return scores
