"""Inverse square ranks with the logarithm of the number of lists and an offset (Mourão, Martins and
Magalhães 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated
from harness.plugins.classic.fuser.isr import inverse_squares

LEAST_FACTOR = 1e-13
"""The factor of a document whose logarithm is 0: its score is 0 as published, but for a part of
1e-13 of its inverse square ranks, which orders documents of one list.
"""


@dataclass(frozen=True)
class LognIsr:
    """score(d) = ln(n(d) + sigma) sum_l 1 / rank_l(d)^2, n(d) the number of lists l that contain d.

    A logarithm of 0 counts as 1e-13, so that documents of one list keep its order.

    Attributes:
        sigma: in [0, 1].
    """

    sigma: float = 0.01
    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.sigma", self.sigma, 0, 1)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        factor = (pool.held + self.sigma).log_().clamp_(min=LEAST_FACTOR)
        return inverse_squares(pool).mul_(factor)
