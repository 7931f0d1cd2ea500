"""Boltzmann fusion with Tsallis q-exponential weights for the graph list (PhaseGraph App. C)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated, ConsensusBonus, Scored
from harness.fusion.normalizer import ordered_sum
from harness.fusion.temperature import EPSILON, energies


@dataclass(frozen=True)
class Tsallis(ConsensusBonus):
    """score(d) = alpha P_dense(d) + (1 - alpha) P_graph(d) + beta [d in both], P_graph Tsallis's.

    P_dense are Boltzmann probabilities. P_graph = [1 + (1 - q)(-E / T)]_+^(1 / (1 - q)), normalised
    to sum 1; the same holds for every list but the dense one. An absent document has P = 0. alpha,
    beta and weights are those of ``boltzmann``.

    Args:
        q: in (0, 3]; above 1 the tails are heavier than Boltzmann's, 1 is Boltzmann.
    """

    version = 2  # 2: a limit where no document has a weight

    alpha: float | None = 0.7
    beta: float = 0.5
    q: float = 1.5
    reads = frozenset({"probabilities"})
    unit = True

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded("fuser.q", self.q, 0, 3, open_low=True)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
        return self.rewarded(
            pool, [(self._probabilities(scored), weight) for scored, weight in self.shares(pool)]
        )

    def _probabilities(self, scored: Scored) -> Tensor:
        if scored.name == scored.owner.anchor or self.q == 1:
            return scored.probabilities
        values = scored.owner.remember(
            ("tsallis", self.q, *scored.calibration),
            lambda: tsallis_weights(
                scored.owner.listed(scored.name), scored.listing.present, scored.temperature, self.q
            ),
        )
        return scored.spread(values, 0.0)


def tsallis_weights(values: Tensor, present: Tensor, temperature: Tensor, q: float) -> Tensor:
    """Return float64[Q, N], q-exponential weights of the values' energies, summing to 1.

    At T = 0 they are uniform. For q > 1 the base is kept >= 1e-6, because it would reach 0 for a
    value of 1 (E = -1e-6) at a T of the same size. For q < 1 no document has a weight from T <= (1
    - q) E_min on; the weights are then their limit, in which the documents of lowest energy share
    everything.
    """
    cold = temperature == 0
    change = (q - 1) * energies(values) / torch.where(cold, 1.0, temperature)
    least = -1 if q < 1 else EPSILON - 1
    exponent = torch.log1p(change.clamp_(min=least)) / (1 - q)
    weights = torch.where(present, torch.exp(torch.where(cold, 0.0, exponent)), 0.0)
    known = torch.nn.functional.pad(
        torch.where(present, values, -torch.inf), (0, 1), value=-torch.inf
    )
    best = present & (values == known.amax(dim=-1, keepdim=True))
    weights = torch.where((weights > 0).any(dim=-1, keepdim=True), weights, best.to(weights.dtype))
    total = ordered_sum(weights)
    return weights / torch.where(total == 0, 1.0, total)
