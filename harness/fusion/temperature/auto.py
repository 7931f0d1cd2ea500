"""A temperature from a list's own energies (PhaseGraph eq. 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from harness.fusion.normalizer import counts, ordered_sum
from harness.fusion.temperature import energies


@dataclass(frozen=True)
class Auto:
    """T = mean(E) / 2, of each list.

    0, that is uniform weights, for an empty list and if the mean is not positive (every value is 1,
    so E = -ln(1 + 1e-6)).
    """

    def __call__(self, values: Sequence[Tensor], present: Sequence[Tensor]) -> list[Tensor]:
        """Return float64[Q, 1] for each list."""
        temperatures = []
        for value, held in zip(values, present, strict=True):
            sums = ordered_sum(torch.where(held, energies(value), 0.0))
            temperatures.append((sums / (2 * counts(held).clamp_(min=1))).clamp_(min=0))
        return temperatures
