"""Reciprocal rank fusion (Cormack et al. 2009; PhaseGraph 3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.errors import bounded
from harness.fuser import Calibrated, Scored
from harness.fuser.terms import Term, Terms


@dataclass(frozen=True)
class Rrf:
    """score(d) = sum over the lists that hold d of 1 / (k + rank).

    k: >= 0; large ones make the first ranks count alike.
    """

    k: float = 60
    reads: ClassVar[frozenset[str]] = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.k", self.k, 0)

    def terms(self, pool: Calibrated) -> Terms:
        """See ``harness.fuser.terms``."""
        return Terms([of_places(scored, self.k) for scored in pool.lists])

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return self.terms(pool).fused(pool)


def of_places(scored: Scored, k: float, weight: float = 1.0) -> Term:
    """The list's summand: weight / (k + rank)."""
    listing = scored.listing

    def compute() -> Tensor:
        places = torch.arange(1, listing.scores.shape[1] + 1, dtype=torch.float64, device=listing.scores.device)
        return (places + k).reciprocal_()[None]

    values = scored.owner.remember(("reciprocal", scored.name, k), compute)
    return Term(scored.name, values, 0.0, lambda: reciprocal(scored, k), weight)


def reciprocal(scored: Scored, k: float) -> Tensor:
    """float64[Q, U]: 1 / (k + rank), 0 where absent; a new tensor."""
    return (scored.ranks + k).reciprocal_()
