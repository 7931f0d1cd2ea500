"""Fusion after optimal transport of each list to a Gaussian (PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated, Scored, Shared, weighted_sum
from harness.fusion.normalizer import Pit


@dataclass(frozen=True)
class OtGaussian(Shared):
    """score(d) = alpha z_dense(d) + (1 - alpha) z_graph(d), with z the normal quantile of a rank.

    The rank is the mid percentile rank (``pit`` with kind mean) whatever the normalizer; it is in
    (0, 1), so z is finite. An absent document has the quantile of half of the list's smallest rank;
    an empty list gives 0.

    Args:
        alpha: dense's share, in [0, 1].
        weights: >= 0 by list name, instead of alpha, for any number of lists.
    """

    reads = frozenset({"scores"})
    unit = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        parts = self.shares(pool)
        return weighted_sum([(_quantiles(scored), weight) for scored, weight in parts])


def _quantiles(scored: Scored) -> Tensor:
    def compute() -> Tensor:
        ranks = Pit("mean")(scored.listing.scores, scored.listing.present)
        return torch.where(scored.empty, 0.0, torch.special.ndtri(scored.spread_floored(ranks)))

    return scored.owner.remember(("quantiles", scored.name), compute)
