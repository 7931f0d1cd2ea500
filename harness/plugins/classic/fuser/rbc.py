"""Rank-biased centroids (Bailey, Moffat, Scholer and Thomas 2017)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated, total

LARGEST_PHI = 0.9999
"""The largest phi. With phi = 1 all scores would be 0."""


@dataclass(frozen=True)
class Rbc:
    """score(d) = sum_l (1 - phi) phi^(rank_l(d) - 1), over the lists l that contain d.

    Attributes:
        phi: persistence of a reader, in (0, 0.9999]; 1 / (1 - phi) documents are read on average.
    """

    phi: float = 0.9
    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.phi", self.phi, 0, LARGEST_PHI, open_low=True)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        rate = math.log(self.phi)
        weights = [(scored.ranks - 1).mul_(rate).exp_() for scored in pool.lists]
        return total(weights).mul_(1 - self.phi)
