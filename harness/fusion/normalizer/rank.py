"""Scores from ranks alone: value_i = 1 - (rank_i - 1) / N."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.normalizer import ZeroAbsent, counts


@dataclass(frozen=True)
class Rank(ZeroAbsent):
    """value_i = 1 - (rank_i - 1) / N: 1 for the best of N documents, 1 / N for the last.

    Ties are ranked by document id. Values in [0, 1]; an absent document has 0.
    """

    unit: ClassVar[bool] = True

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        places = torch.arange(scores.shape[-1], dtype=scores.dtype, device=scores.device)
        return 1 - places / counts(present).clamp_(min=1)
