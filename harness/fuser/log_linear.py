"""Log-linear fusion: a weighted geometric mean of probabilities (PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch import Tensor

from harness.fuser import Calibrated
from harness.fuser.shares import Weights, bounded_shares, shares, weighted_sum


@dataclass(frozen=True)
class LogLinear:
    """score(d) = P_dense(d)^alpha x P_graph(d)^(1 - alpha), of Boltzmann probabilities P.

    alpha: dense's share, in [0, 1].    weights: exponents >= 0 by list name, instead of alpha, for any number of lists.
    An absent document has half of the list's smallest P; an empty list changes nothing.
    """

    alpha: float = 0.5
    weights: Weights | None = field(default=None, hash=False)
    reads: ClassVar[frozenset[str]] = frozenset({"probabilities"})
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        bounded_shares(self.alpha, self.weights)

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        parts = shares(pool, self.alpha, self.weights)
        return weighted_sum([(scored.log_probabilities, weight) for scored, weight in parts]).exp_()
