"""Condorcet fusion (Montague and Aslam 2002), by Copeland's count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class Condorcet:
    """score(d) = number of documents that d beats - number of those that beat d.

    d beats e if more lists have d before e than e before d; a list has its documents before those
    that it lacks, and these have no order. Every document of a majority cycle comes after all that
    beat the cycle, as in the publication, whose sort orders a cycle by chance. Time grows with the
    square of the pool.
    """

    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        ranks = torch.stack([scored.ranks for scored in pool.lists])
        candidates = (pool.held > 0).double()
        score = torch.zeros_like(candidates)
        for place in range(ranks.shape[-1]):
            candidate = ranks[..., place : place + 1]
            votes = (ranks < candidate).sum(dim=0) - (ranks > candidate).sum(dim=0)
            score += votes.sign() * candidates[:, place : place + 1]
        return score.mul_(candidates)
