"""CombANZ (Fox and Shaw 1994)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated, total


@dataclass(frozen=True)
class CombAnz:
    """score(d) = mean of d's normalised values p_l(d), over the lists l that contain d.

    A document does not lose if a list lacks it.
    """

    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        values = [torch.where(scored.present, scored.values, 0.0) for scored in pool.lists]
        return total(values).div_(pool.held.clamp(min=1))
