"""CLASS: a bonus for documents that several lists hold, among the best m."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded, whole_number
from harness.fusion.fuser import Calibrated
from harness.fusion.reranker import reorder, scale, top


@dataclass(frozen=True)
class CLASS:
    """S(d) = the fused score scaled to [0, 1] over the best m + bonus x [at least two lists hold
    d].

    bonus: >= 0.    m: how many are reranked, >= 1.
    """

    bonus: float = 0.5
    m: int = 20
    reads: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        bounded("reranker.bonus", self.bonus, 0)
        whole_number("reranker.m", self.m, 1)

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """float64[Q, U]: the same documents in another order; those below the best m keep
        theirs.
        """
        columns, there = top(fused, pool, self.m)
        base = scale(fused.gather(-1, columns), there, 0.0)
        return reorder(
            fused, pool, columns, there, base + self.bonus * pool.consensus.gather(-1, columns)
        )
