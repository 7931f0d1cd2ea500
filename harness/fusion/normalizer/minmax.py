"""Min-max scaling of a list's own scores (PhaseGraph 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.normalizer import ZeroAbsent, best, least


@dataclass(frozen=True)
class MinMax(ZeroAbsent):
    """value_i = (s_i - min) / (max - min); in a constant list 1 for all.

    Values in [0, 1]; an absent document has 0, like the last document of its list.
    """

    unit: ClassVar[bool] = True

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        low = least(scores, present)
        span = best(scores) - low
        return torch.where(span == 0, 1.0, (scores - low).div_(torch.where(span == 0, 1.0, span)))
