"""Division by a list's greatest score (PhaseGraph 6.2 "raw/max")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.normalizer import ZeroAbsent, best


@dataclass(frozen=True)
class Max(ZeroAbsent):
    """value_i = s_i / max, 0 if s_i is negative, so 0 for all if max <= 0.

    Values in [0, 1]; an absent document has 0.
    """

    unit: ClassVar[bool] = True

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        top = best(scores)
        return scores.clamp(min=0).div_(torch.where(top > 0, top, 1.0))
