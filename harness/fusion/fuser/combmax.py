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
    """score(d) = max_l p_l(d), d's greatest normalised value, over the lists l that hold d; absent
    counts nothing.

    Fusion by the best rank (`min rank`) is this under `normalizer=rank` where all lists are of one
    length, as the pool's cap makes them; equal scores are in the order of ids.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return reduce(
            torch.maximum, [torch.where(one.present, one.values, -torch.inf) for one in pool.lists]
        )
