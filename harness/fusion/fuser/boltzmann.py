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
    """score(d) = alpha P_dense(d) + (1 - alpha) P_graph(d) + beta [d in both], of Boltzmann
    probabilities P.

    alpha: dense's share, in [0, 1].    beta: bonus for a document that at least two lists hold, >=
    0.
    weights: >= 0 by list name, instead of alpha, for any number of lists.
    An absent document has P = 0.
    """

    alpha: float = 0.7
    beta: float = 0.5
    reads: ClassVar[frozenset[str]] = frozenset({"probabilities"})
    unit: ClassVar[bool] = True

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return self.rewarded(
            pool, [(scored.probabilities, weight) for scored, weight in self.shares(pool)]
        )
