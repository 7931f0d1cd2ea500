"""Gumbel-copula fusion of percentile ranks (PhaseGraph App. C)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated, Scored, total
from harness.fusion.normalizer import group_starts

LAST = torch.iinfo(torch.int64).max


@dataclass(frozen=True)
class GumbelCopula:
    """score(d) = C(u, v) = exp(-((-ln u)^t + (-ln v)^t)^(1/t)), with normalised values u, v.

    With the normalizer pit these are percentile ranks. t = 1 / (1 - tau), >= 1, with Kendall's
    tau-b of the documents that both lists hold; t = 1 (independence) with fewer than 3 of them, and
    C = min(u, v) for tau = 1. With more lists, tau is the mean over pairs of lists, 0 for a pair
    with fewer than 3. An absent document has half of the list's smallest value; an empty list
    changes nothing.
    """

    reads = frozenset({"scores", "values"})
    unit = True

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the fused scores."""
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
    """Return float64[Q, U], -ln u, finite."""
    key = ("losses", scored.name, scored.normalizer)
    tiny = torch.finfo(torch.float64).tiny
    return scored.owner.remember(
        key, lambda: scored.floored.clamp(min=tiny).log_().neg_().clamp_(min=0)
    )


def _inverse(pool: Calibrated) -> Tensor:
    """Return float64[Q, 1], 1 / t = 1 - tau, in [0, 1]."""
    pairs = list(itertools.combinations(sorted(pool.lists, key=lambda scored: scored.name), 2))
    mean = torch.zeros((pool.pool.shape[0], 1), dtype=torch.float64, device=pool.pool.docs.device)
    for first, second in pairs:
        tau, size = kendall(first, second)
        mean += torch.where(size < 3, 0.0, tau) / len(pairs)
    return (1 - mean).clamp_(0, 1)


def kendall(first: Scored, second: Scored) -> tuple[Tensor, Tensor]:
    """Return tau-b of the scores, float64[Q, 1], and the number of shared documents, int64[Q, 1].

    tau is 0 if a list ties all shared documents. Counts are whole numbers (Knight 1966), so tau is
    exact but for one division and one root.
    """
    shared = _shared(*sorted((first, second), key=lambda scored: scored.listing.scores.shape[-1]))
    size = (shared != LAST).sum(dim=-1, keepdim=True)
    shared = shared[:, : int(size.max()) if size.numel() else 0]
    held = shared != LAST
    first_keys, second_keys = shared >> 32, torch.where(held, shared & 0xFFFFFFFF, LAST)
    discordant = torch.zeros_like(size)
    for place in range(shared.shape[-1] - 1):
        discordant += (second_keys[:, place + 1 :] < second_keys[:, place : place + 1]).sum(
            dim=-1, keepdim=True
        )
    pairs = size * (size - 1) // 2
    tied_first, tied_second, tied_both = (
        _tied(keys, held) for keys in (first_keys, second_keys.sort(dim=-1).values, shared)
    )
    surplus = pairs - tied_first - tied_second + tied_both - 2 * discordant
    scale = ((pairs - tied_first) * (pairs - tied_second)).double().sqrt()
    return torch.where(scale == 0, 0.0, surplus / torch.where(scale == 0, 1.0, scale)), size


def _shared(narrow: Scored, wide: Scored) -> Tensor:
    """Return int64[Q, N], (place in one list, place in the other) of shared documents, then
    ``LAST``.
    """
    places = wide.spread(group_starts(wide.listing.scores).long(), -1).view(-1)[
        narrow.owner.pool.slots(narrow.name)
    ]
    keys = torch.full(narrow.listing.present.shape, LAST, device=places.device)
    mine = group_starts(narrow.listing.scores)[narrow.listing.present].long()
    keys[narrow.listing.present] = torch.where(places >= 0, (mine << 32) | places, LAST)
    return keys.sort(dim=-1).values


def _tied(keys: Tensor, held: Tensor) -> Tensor:
    """Return int64[Q, 1], the number of pairs of equal keys. Keys ascend, the held ones first."""
    places = torch.arange(keys.shape[-1], device=keys.device)
    return ((places - group_starts(keys)) * held).sum(dim=-1, keepdim=True)
