"""Power-mean fusion of percentile ranks (PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated, Scored, Shared, weighted_sum


@dataclass(frozen=True)
class PowerMean(Shared):
    """score(d) = (alpha p_dense(d)^r + (1 - alpha) p_graph(d)^r)^(1/r), with normalised values p.

    With the normalizer ``pit`` these are the percentile ranks of the paper. An absent document has
    p = 0.

    Args:
        alpha: dense's share, in [0, 1].
        weights: >= 0 by list name, instead of alpha, for any number of lists.
        r: > 0; below 1 it rewards consensus, 1 is the linear fusion.
    """

    r: float = 0.5
    reads = frozenset({"values"})
    unit = True

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded("fuser.r", self.r, 0, open_low=True)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        parts = self.shares(pool)
        mean = weighted_sum([(self._powers(scored), weight) for scored, weight in parts])
        return mean.log_().div_(self.r).exp_()

    def _powers(self, scored: Scored) -> Tensor:
        key = ("powers", scored.name, scored.normalizer, self.r)
        return scored.owner.remember(key, lambda: scored.values.log().mul_(self.r).exp_())
