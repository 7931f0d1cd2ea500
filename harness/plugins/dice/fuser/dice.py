"""Fusion in which each document keeps its best score (Dice hybrid eq. 4)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class Dice:
    """score(d) = the greatest normalised value of d in the lists that hold it, + epsilon in the
    graph's.

    Args:
        epsilon: >= 0; small enough to decide only ties, in favour of the graph list (every list but
            the dense one).
    """

    epsilon: float = 1e-6
    reads = frozenset({"values"})
    unit = False

    def __post_init__(self) -> None:
        bounded("fuser.epsilon", self.epsilon, 0)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        fused = torch.full(
            pool.pool.shape, -torch.inf, dtype=torch.float64, device=pool.pool.docs.device
        )
        for scored in pool.lists:
            bonus = 0.0 if scored.name == pool.anchor else self.epsilon
            torch.maximum(
                fused, torch.where(scored.present, scored.values + bonus, -torch.inf), out=fused
            )
        return fused
