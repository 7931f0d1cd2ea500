"""Boltzmann fusion: a weighted sum of probabilities, with a bonus for consensus
(PhaseGraph eq. 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import ConsensusBonus


@dataclass(frozen=True)
class Boltzmann(ConsensusBonus):
    """score(d) = alpha P_dense(d) + (1 - alpha) P_graph(d) + beta [d in both], P Boltzmann
    probabilities.

    An absent document has P = 0.

    Attributes:
        alpha: share of dense, in [0, 1].
        beta: bonus for a document that two lists or more contain, 0 or more.
        weights: 0 or more by list name, instead of alpha, for any number of lists.
    """

    alpha: float | None = 0.7
    beta: float = 0.5
    reads = frozenset({"probabilities"})
    unit: ClassVar[bool] = True

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return self.rewarded(
            pool, [(scored.probabilities, weight) for scored, weight in self.shares(pool)]
        )
