"""Power-mean fusion of percentile ranks (PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from torch import Tensor

from harness.errors import bounded
from harness.fuser import Calibrated, Scored
from harness.fuser.shares import Weights, bounded_shares, shares, weighted_sum


@dataclass(frozen=True)
class PowerMean:
    """score(d) = (alpha p_dense(d)^r + (1 - alpha) p_graph(d)^r)^(1/r), of normalised values p.

    With the normalizer ``pit`` these are the percentile ranks of the paper.
    alpha: dense's share, in [0, 1].    r: > 0; below 1 it rewards consensus, 1 is the linear fusion.
    weights: >= 0 by list name, instead of alpha, for any number of lists.
    An absent document has p = 0.
    """

    alpha: float = 0.5
    r: float = 0.5
    weights: Weights | None = field(default=None, hash=False)
    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        bounded_shares(self.alpha, self.weights)
        bounded("fuser.r", self.r, 0, open_low=True)

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        parts = shares(pool, self.alpha, self.weights)
        mean = weighted_sum([(self._powers(scored), weight) for scored, weight in parts])
        return mean.log_().div_(self.r).exp_()

    def _powers(self, scored: Scored) -> Tensor:
        key = ("powers", scored.name, scored.normalizer, self.r)
        return scored.owner.remember(key, lambda: scored.values.log().mul_(self.r).exp_())
