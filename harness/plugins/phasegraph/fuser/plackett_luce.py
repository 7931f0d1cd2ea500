"""Plackett-Luce fusion: strengths from each list's ranking (Hunter 2004; PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated, Scored, Shared, weighted_sum
from harness.fusion.normalizer import counts, ordered_sum

TOLERANCE = 1e-10
"""Largest relative change of a strength at which the iteration of its list ends."""


@dataclass(frozen=True)
class PlackettLuce(Shared):
    """score(d) = g_dense(d)^alpha x g_graph(d)^(1 - alpha), g Plackett-Luce strengths.

    With prior a = 1, the i-th of n documents has 2 (n - i + 1) / (n + 1). An absent document has
    half of the list's smallest strength; an empty list changes nothing.

    Args:
        alpha: dense's share, in [0, 1].
        weights: exponents >= 0 by list name, instead of alpha, for any number of lists.
        prior: > 0, the pseudo-count a of the strengths' Gamma(a + 1, a) prior. A single ranking has
            no finite estimate without it: its first document would be infinitely strong.
    """

    prior: float = 1.0
    reads = frozenset({"ranks"})
    unit = False

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded("fuser.prior", self.prior, 0, open_low=True)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        parts = self.shares(pool)
        return weighted_sum(
            [(self._log_strengths(scored), weight) for scored, weight in parts]
        ).exp_()

    def _log_strengths(self, scored: Scored) -> Tensor:
        def compute() -> Tensor:
            sizes, numbers = torch.unique(counts(scored.listing.present)[:, 0], return_inverse=True)
            table = strengths(sizes, scored.listing.scores.shape[-1], self.prior)
            return (
                scored.spread_floored(table[numbers])
                .clamp_(min=torch.finfo(torch.float64).tiny)
                .log_()
            )

        return scored.owner.remember(("strengths", scored.name, self.prior), compute)


def strengths(sizes: Tensor, width: int, prior: float) -> Tensor:
    """Return float64[L, N], strengths in one ranking of each size, best first, mean 1; padding is
    1.

    Hunter's MM algorithm for all sizes at once: g_i <- (w_i + a) / (sum of 1 / S_r over the stages
    r with i + a), with S_r the strengths left at stage r and w_i = 1 for all but the last document.
    A list stops when it has converged.

    Args:
        sizes: int64[L], numbers of documents.
        width: N.
        prior: a.
    """
    places = torch.arange(width, device=sizes.device)
    held = places < sizes[:, None]
    chosen = (places < sizes[:, None] - 1).double()
    strength = held.double()
    active = torch.ones_like(sizes, dtype=torch.bool)
    while active.any():
        old, wins, there = strength[active], chosen[active], held[active]
        left = old.flip(-1).cumsum(dim=-1).flip(-1)
        stages = (wins / torch.where(there, left, 1.0)).cumsum(dim=-1)
        new = torch.where(there, (wins + prior) / (stages + prior), 0.0)
        new = new * sizes[active][:, None] / ordered_sum(new).clamp(min=TOLERANCE)
        change = torch.where(there, (new - old).abs() / torch.where(there, old, 1.0), 0.0)
        strength[active] = new
        active[active.clone()] = (change > TOLERANCE).any(dim=-1)
    return torch.where(held, strength, 1.0)
