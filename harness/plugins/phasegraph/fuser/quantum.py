"""Fusion with interference (quantum probability ranking, Zuccon et al. 2009; PhaseGraph App. C)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated, total


@dataclass(frozen=True)
class Quantum:
    """score(d) = P_dense(d) + P_graph(d) + 2 sqrt(P_dense(d) P_graph(d)) cos(theta).

    P are Boltzmann probabilities. With more lists there is one interference for each pair. An
    absent document has P = 0.

    Args:
        theta: in [0, pi]; 0 is constructive, pi destructive.
    """

    theta: float = 0.0
    reads = frozenset({"probabilities"})
    unit = True

    def __post_init__(self) -> None:
        bounded("fuser.theta", self.theta, 0, math.pi)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        chances = [scored.probabilities for scored in pool.lists]
        fused = total(chances)
        pairs = [(first * second).sqrt_() for first, second in itertools.combinations(chances, 2)]
        return fused.add_(total(pairs).mul_(2 * math.cos(self.theta))) if pairs else fused
