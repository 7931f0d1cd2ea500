"""Reciprocal rank fusion with weights, a prior and a bonus for the exact match (ADR)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.rrf import reciprocal
from harness.fusion.fuser.shares import Weights, bounded_weights, shares, total


@dataclass(frozen=True)
class WeightedRrf:
    """score(d) = (sum_l w_l / (k + rank_l(d)) + bonus [d first in the lexical list]) x (0.7 + 0.3
    importance(d)).

    k: >= 0.    weights: by list name, >= 0; those of lists that the pool lacks are not used.
    bonus: >= 0, for the first document of the list named ``lexical``. The last factor is there when
    the pool has a prior importance. Where every list but one is empty, the order without a prior is
    that list's.
    """

    k: float = 60
    weights: Weights = field(
        default_factory=lambda: {"bm25": 1.0, "dense": 1.0, "graph": 0.35}, hash=False
    )
    bonus: float = 0.0
    lexical: str = "bm25"
    reads: ClassVar[frozenset[str]] = frozenset({"ranks", "importance"})
    unit: ClassVar[bool] = False
    version: ClassVar[int] = 2  # 2: the bonus is added in float64

    def __post_init__(self) -> None:
        bounded("fuser.k", self.k, 0)
        bounded("fuser.bonus", self.bonus, 0)
        bounded_weights(self.weights)

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
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
