"""CLASS: a list whose values lie close together is given a low temperature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.normalizer import best, least


@dataclass(frozen=True)
class CLASS:
    """T = scale x (the list's greatest value - its least); 0 for an empty list.

    scale: >= 0.
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        bounded("temperature.scale", self.scale, 0)

    def __call__(self, values: Sequence[Tensor], present: Sequence[Tensor]) -> list[Tensor]:
        """One float64[Q, 1] a list, of values float64[Q, N] in the list's own order."""
        return [
            self.scale * (best(found) - least(found, held)).clamp(min=0)
            for found, held in zip(values, present, strict=True)
        ]
