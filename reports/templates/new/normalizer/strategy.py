"""CLASS: a score against a fixed half, so that great scores come near 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded


@dataclass(frozen=True)
class CLASS:
    """value = max(score, 0) / (max(score, 0) + half), in [0, 1); a document that the list does not
    hold has 0.

    half: the score that becomes 1/2, >= 0.001.
    """

    half: float = 1.0
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        bounded("normalizer.half", self.half, 0.001)

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """float64[Q, N], of one list in its own order; what stands in the padding is never read."""
        positive = scores.clamp(min=0)
        return positive / (positive + self.half)

    def absent(self, values: Tensor, present: Tensor) -> float:
        """The value of a document that the list does not hold."""
        return 0.0
