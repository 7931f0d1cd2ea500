"""Kendall's tau between two lists of a pool, on the documents that both hold."""

from __future__ import annotations

import torch
from torch import Tensor

from harness.fusion.fuser import Scored
from harness.fusion.normalizer import group_starts

LAST = torch.iinfo(torch.int64).max


def kendall(first: Scored, second: Scored) -> tuple[Tensor, Tensor]:
    """tau-b of the scores, float64[Q, 1], and the number of shared documents, int64[Q, 1].

    0 where a list ties all shared documents. Counts are whole numbers (Knight 1966), so tau is exact but for one
    division and one root.
    """
    shared = _shared(*sorted((first, second), key=lambda scored: scored.listing.scores.shape[-1]))
    size = (shared != LAST).sum(dim=-1, keepdim=True)
    shared = shared[:, : int(size.max()) if size.numel() else 0]
    held = shared != LAST
    one, other = shared >> 32, torch.where(held, shared & 0xFFFFFFFF, LAST)
    discordant = torch.zeros_like(size)
    for place in range(shared.shape[-1] - 1):
        discordant += (other[:, place + 1 :] < other[:, place : place + 1]).sum(dim=-1, keepdim=True)
    pairs = size * (size - 1) // 2
    tied_one, tied_other, tied_both = (_tied(keys, held) for keys in (one, other.sort(dim=-1).values, shared))
    surplus = pairs - tied_one - tied_other + tied_both - 2 * discordant
    scale = ((pairs - tied_one) * (pairs - tied_other)).double().sqrt()
    return torch.where(scale == 0, 0.0, surplus / torch.where(scale == 0, 1.0, scale)), size


def _shared(narrow: Scored, wide: Scored) -> Tensor:
    """int64[Q, N]: (place in one list, place in the other) of the shared documents, ascending, then LAST."""
    places = wide.spread(group_starts(wide.listing.scores).long(), -1).view(-1)[narrow.owner.pool.slots(narrow.name)]
    keys = torch.full(narrow.listing.present.shape, LAST, device=places.device)
    mine = group_starts(narrow.listing.scores)[narrow.listing.present].long()
    keys[narrow.listing.present] = torch.where(places >= 0, (mine << 32) | places, LAST)
    return keys.sort(dim=-1).values


def _tied(keys: Tensor, held: Tensor) -> Tensor:
    """int64[Q, 1]: pairs of equal keys; keys ascend, the held ones first."""
    places = torch.arange(keys.shape[-1], device=keys.device)
    return ((places - group_starts(keys)) * held).sum(dim=-1, keepdim=True)
