"""CombMED (Fox and Shaw 1994)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class CombMed:
    """score(d) = median of d's normalised values p_l(d), over the lists l that contain d.

    The median of an even number of values is the mean of the middle two. With one or two lists this
    is CombANZ.
    """

    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        values = [torch.where(scored.present, scored.values, torch.inf) for scored in pool.lists]
        ordered = torch.stack(values).sort(dim=0).values
        last = (pool.held.long() - 1).clamp_(min=0)
        low, high = (ordered.gather(0, place[None])[0] for place in (last // 2, (last + 1) // 2))
        return torch.where(pool.held > 0, (low + high) / 2, 0.0)
