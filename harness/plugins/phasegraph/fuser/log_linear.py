"""Log-linear fusion: a weighted geometric mean of probabilities (PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from harness.fusion.fuser import Calibrated, Shared, weighted_sum


@dataclass(frozen=True)
class LogLinear(Shared):
    """score(d) = P_dense(d)^alpha x P_graph(d)^(1 - alpha), with Boltzmann probabilities P.

    An absent document has half of the list's smallest P; an empty list changes nothing.

    Args:
        alpha: dense's share, in [0, 1].
        weights: exponents >= 0 by list name, instead of alpha, for any number of lists.
    """

    reads = frozenset({"probabilities"})
    unit = True

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        parts = self.shares(pool)
        return weighted_sum([(scored.log_probabilities, weight) for scored, weight in parts]).exp_()
