"""Reciprocal rank fusion with weights, a prior and a bonus for an exact match (ADR)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.rrf import LARGEST_K, reciprocal
from harness.fusion.fuser.shares import LARGEST_BONUS, Weights, bounded_weights, shares, total


@dataclass(frozen=True)
class WeightedRrf:
    """score(d) = (sum_l w_l / (k + rank_l(d)) + bonus [d first in the lexical list]) x (0.7 + 0.3
    prior).

    The last factor applies if the pool has a prior importance. If all lists but one are empty, the
    order without a prior is that list's.

    Attributes:
        k: in [0, 1e12].
        weights: 0 or more by list name; those of lists that the pool lacks are not used.
        bonus: in [0, 1e6], for the first document of the list named ``lexical``.
    """

    k: float = 60
    weights: Weights = field(
        default_factory=lambda: {"bm25": 1.0, "dense": 1.0, "graph": 0.35}, hash=False
    )
    bonus: float = 0.0
    lexical: str = "bm25"
    reads = frozenset({"ranks", "importance"})
    unit: ClassVar[bool] = False
    version = 2  # 2: the bonus is added in float64

    def __post_init__(self) -> None:
        bounded("fuser.k", self.k, 0, LARGEST_K)
        bounded("fuser.bonus", self.bonus, 0, LARGEST_BONUS)
        bounded_weights(self.weights)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        fused = total(
            [
                reciprocal(scored, self.k).mul_(weight)
                for scored, weight in shares(pool, 0, self.weights)
            ]
        )
        if self.bonus:
            fused += self.bonus * (pool[self.lexical].ranks == 1).double()
        importance = pool.pool.importance
        return fused if importance is None else fused.mul_(0.7 + 0.3 * importance)
