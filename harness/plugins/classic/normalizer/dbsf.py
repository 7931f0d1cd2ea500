"""The scale of distribution-based score fusion (Mazzeschi 2023), as Qdrant has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.normalizer import ZScore, counts, least


@dataclass(frozen=True)
class Dbsf:
    """value_i = (s_i - (mean - 3 s)) / (6 s), with the standard deviation s of a sample; in a
    constant list .5 for all.

    Values are around [0, 1] and not clipped to it: an outlier is beyond. An absent document has 0,
    or the list's least value if that is below 0.
    """

    unit: ClassVar[bool] = False

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        held = counts(present).clamp_(min=1).double()
        to_sample = ((held - 1) / held).sqrt_()  # ZScore divides by the population's deviation
        return 0.5 + ZScore()(scores, present) * to_sample / 6

    def absent(self, values: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, 1]."""
        return least(values, present).clamp_(max=0)
