"""Boltzmann fusion: a weighted sum of probabilities, with a bonus for consensus (PhaseGraph eq. 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch import Tensor

from harness.errors import bounded
from harness.fuser import Calibrated
from harness.fuser.shares import Weights, bounded_shares, shares
from harness.fuser.terms import Terms, of_probabilities


@dataclass(frozen=True)
class Boltzmann:
    """score(d) = alpha P_dense(d) + (1 - alpha) P_graph(d) + beta [d in both], of Boltzmann probabilities P.

    alpha: dense's share, in [0, 1].    beta: bonus for a document that at least two lists hold, >= 0.
    weights: >= 0 by list name, instead of alpha, for any number of lists.
    An absent document has P = 0.
    """

    alpha: float = 0.7
    beta: float = 0.5
    weights: Weights | None = field(default=None, hash=False)
    reads: ClassVar[frozenset[str]] = frozenset({"probabilities"})
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        bounded_shares(self.alpha, self.weights)
        bounded("fuser.beta", self.beta, 0)

    def terms(self, pool: Calibrated) -> Terms:
        """See ``harness.fuser.terms``."""
        parts = shares(pool, self.alpha, self.weights)
        return Terms([of_probabilities(scored, weight) for scored, weight in parts], self.beta)

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return self.terms(pool).fused(pool)
