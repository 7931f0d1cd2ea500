"""Reciprocal rank fusion (Cormack et al. 2009; PhaseGraph 3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated, Scored
from harness.fusion.fuser.shares import total

LARGEST_K = 10**12
"""The largest k. The scores of neighbouring ranks differ by the share 1 / k, and float64 keeps
2^-53: from k = 2^52 on all documents would be equal.
"""


@dataclass(frozen=True)
class Rrf:
    """score(d) = sum_l 1 / (k + rank_l(d)), over the lists l that contain d.

    k in [0, 1e12]; a large k reduces the differences between the first ranks.
    """

    k: float = 60
    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.k", self.k, 0, LARGEST_K)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return total([reciprocal(scored, self.k) for scored in pool.lists])


def reciprocal(scored: Scored, k: float) -> Tensor:
    """Return float64[Q, U], 1 / (k + rank), 0 if absent; a new tensor."""
    return (scored.ranks + k).reciprocal_()
