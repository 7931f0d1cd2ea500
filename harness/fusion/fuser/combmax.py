"""CombMAX (Fox and Shaw 1994)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class CombMax:
    """score(d) = max_l p_l(d), d's greatest normalised value, over the lists l that contain d.

    Fusion by the best rank (`min rank`) is CombMAX with `normalizer=rank` if all lists have one
    length, as after the pool's cap; equal scores are ordered by id.
    """

    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return reduce(
            torch.maximum,
            [torch.where(scored.present, scored.values, -torch.inf) for scored in pool.lists],
        )
