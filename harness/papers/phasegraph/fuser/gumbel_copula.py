"""Gumbel-copula fusion of percentile ranks (PhaseGraph App. C)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated, Scored, total
from harness.papers.phasegraph.fuser.kendall import kendall


@dataclass(frozen=True)
class GumbelCopula:
    """score(d) = C(u, v) = exp(-((-ln u)^t + (-ln v)^t)^(1/t)), of normalised values u, v (percentile ranks with pit).

    t = 1 / (1 - tau), at least 1, with Kendall's tau-b of the documents that both lists hold; t = 1 (independence) with
    fewer than 3 of them, and C = min(u, v) for tau = 1. With more lists tau is the mean over pairs of lists, 0 for a
    pair with fewer than 3. An absent document has half of the list's smallest value; an empty list changes nothing.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"scores", "values"})
    unit: ClassVar[bool] = True

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        losses = [_loss(scored) for scored in pool.lists]
        worst = losses[0]
        for loss in losses[1:]:
            worst = torch.maximum(worst, loss)
        scale = torch.where(worst == 0, 1.0, worst)
        inverse = pool.remember("gumbel", lambda: _inverse(pool))
        finite = torch.where(inverse == 0, 1.0, inverse)
        spread = total([(loss / scale).log_().div_(finite).exp_() for loss in losses])
        factor = torch.where((inverse == 0) | (worst == 0), 1.0, spread.log_().mul_(finite).exp_())
        return factor.mul_(worst).neg_().exp_()


def _loss(scored: Scored) -> Tensor:
    """float64[Q, U]: -ln u, finite."""
    key = ("losses", scored.name, scored.normalizer)
    tiny = torch.finfo(torch.float64).tiny
    return scored.owner.remember(key, lambda: scored.floored.clamp(min=tiny).log_().neg_().clamp_(min=0))


def _inverse(pool: Calibrated) -> Tensor:
    """float64[Q, 1]: 1 / t = 1 - tau, in [0, 1]."""
    pairs = list(itertools.combinations(sorted(pool.lists, key=lambda scored: scored.name), 2))
    mean = torch.zeros((pool.pool.shape[0], 1), dtype=torch.float64, device=pool.pool.docs.device)
    for first, second in pairs:
        tau, size = kendall(first, second)
        mean += torch.where(size < 3, 0.0, tau) / len(pairs)
    return (1 - mean).clamp_(0, 1)
