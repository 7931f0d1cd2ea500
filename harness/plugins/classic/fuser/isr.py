"""Inverse square ranks (Mourão, Martins and Magalhães 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated, total


@dataclass(frozen=True)
class Isr:
    """score(d) = n(d) sum_l 1 / rank_l(d)^2, over the lists l that contain d, n their number."""

    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return inverse_squares(pool).mul_(pool.held)


def inverse_squares(pool: Calibrated) -> Tensor:
    """Return float64[Q, U], the sum of 1 / rank^2 over all lists; a new tensor."""
    return total([scored.ranks.square().reciprocal_() for scored in pool.lists])
