"""Mean-field Ising model on documents coupled by shared entities (PhaseGraph App. D, SPEC 7)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from harness.errors import HarnessError, bounded
from harness.fuser import Calibrated
from harness.normalizer import ordered_sum
from harness.reranker import reordered, top
from harness.reranker.coupling import coupling

DAMPING = 0.5
TOLERANCE = 1e-9
"""The greatest change of a magnetisation at which the iteration of its query ends."""


@dataclass(frozen=True)
class Ising:
    """score = (1 - blend) h + blend M, over the fused top m.

    h: the fused score scaled to [-1, 1] (0 when all are equal).    M_i = tanh((h_i + J sum_j A_ij M_j) / T), A the
    row-normalised weights of shared entities; found by damped iteration from M = h.
    J: coupling, >= 0.    T: temperature, > 0.    blend: in [0, 1].    m: how many documents are reranked, >= 1.
    """

    J: float = 0.5
    T: float = 1.0
    blend: float = 0.2
    m: int = 20

    def __post_init__(self) -> None:
        bounded("reranker.J", self.J, 0)
        bounded("reranker.T", self.T, 0, open_low=True)
        bounded("reranker.blend", self.blend, 0, 1)
        bounded("reranker.m", self.m, 1)
        if not isinstance(self.m, int):
            raise HarnessError(f"reranker.m must be a whole number, got m={self.m}")

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        columns, there = top(fused, pool, self.m)
        field = scaled(fused.gather(-1, columns), there)
        spins = magnetisation(field, coupling(pool, columns, there), self.J, self.T)
        return reordered(fused, pool, columns, there, (1 - self.blend) * field + self.blend * spins)


def scaled(scores: Tensor, there: Tensor) -> Tensor:
    """float64[Q, m]: scores, best first, brought to [-1, 1]; 0 where there is none, and when all are equal."""
    if scores.shape[-1] == 0:
        return scores
    least = torch.where(there, scores, torch.inf).amin(dim=-1, keepdim=True)
    span = scores[:, :1] - least
    apart = there & (span > 0)
    return torch.where(apart, 2 * (scores - least) / torch.where(span > 0, span, 1.0) - 1, 0.0)


def magnetisation(field: Tensor, weights: Tensor, j: float, t: float) -> Tensor:
    """float64[Q, m]: the fixed point M = tanh((h + J A M) / T). Each query stops by itself."""
    spins = field.clone()
    active = torch.ones(field.shape[0], dtype=torch.bool, device=field.device)
    while active.any() and field.shape[-1]:
        old = spins[active]
        pull = ordered_sum(weights[active] * old[:, None, :])[..., 0]
        new = torch.lerp(old, torch.tanh((field[active] + j * pull) / t), DAMPING)
        spins[active] = new
        active[active.clone()] = ((new - old).abs() > TOLERANCE).any(dim=-1)
    return spins
