"""One temperature for all lists (PhaseGraph Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.temperature import LARGEST


@dataclass(frozen=True)
class Fixed:
    """T as given, in (0, 1e9]; PhaseGraph compares 0.3, 0.6 and 1.0."""

    T: float = 1.0

    def __post_init__(self) -> None:
        bounded("temperature.T", self.T, 0, LARGEST, open_low=True)

    def __call__(self, values: Sequence[Tensor], present: Sequence[Tensor]) -> list[Tensor]:
        """Return float64[Q, 1] for each list."""
        return [value.new_full((value.shape[0], 1), self.T) for value in values]
