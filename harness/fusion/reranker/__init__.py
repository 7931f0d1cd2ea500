"""Rerankers: another order for the best of the fused documents.

A reranker is a frozen dataclass, called with ``fused`` float64[Q, U] (-inf for a document that is
left out) and the calibrated pool it came from. It returns float64[Q, U]: the same documents in
another order. Those below the best m keep theirs. ``reads`` says what a reranker needs of the pool
beside the scores: ``mentions``, ``texts``, ``seeds`` (``seeding``), ``relations`` or ``encoder``
(``vectors``); a model is in its fields. Those that read texts are
``TextReranker``: each (question, passage) is scored once and its score is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import torch
from torch import Tensor

from harness.fusion.contract import checked
from harness.fusion.fuser import Calibrated, Fuser, fused_scores


@runtime_checkable
class Reranker(Protocol):
    """See the package's docstring for the contract."""

    reads: ClassVar[frozenset[str]]

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """float64[Q, U]; ``fused`` may be written over."""
        ...


def reranked(reranker: Reranker, fused: Tensor, pool: Calibrated) -> Tensor:
    """What a reranker makes of fused scores. Raises HarnessError where that is something else than
    float64[Q, U].
    """
    return checked(reranker, reranker(fused, pool), pool.pool.docs.shape, "a score a document")


@dataclass(frozen=True)
class FuseThenRerank:
    """score(d) = reranker(fuser(pool), pool), for `harness fuse`, which knows fusers only."""

    fuser: Fuser
    reranker: Reranker

    @property
    def reads(self) -> frozenset[str]:
        """As the fuser."""
        return self.fuser.reads

    @property
    def unit(self) -> bool:
        """As the fuser."""
        return self.fuser.unit

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return reranked(self.reranker, fused_scores(self.fuser, pool), pool)


def top(fused: Tensor, pool: Calibrated, m: int) -> tuple[Tensor, Tensor]:
    """The best m of each row in the one order: their columns int64[Q, m'], m' <= m, and whether
    there is one, bool.

    A row's documents are the same whatever other rows there are; only the number of columns depends
    on them.
    """
    scores = fused.masked_fill(pool.pool.docs < 0, -torch.inf)
    best, columns = torch.sort(scores, dim=-1, descending=True, stable=True)
    return columns[:, :m], best[:, :m] != -torch.inf


def scale(values: Tensor, there: Tensor, low: float = -1.0) -> Tensor:
    """float64[Q, m]: each row brought to [low, 1]; 0 where there is none, and where all
    are equal.
    """
    if values.shape[-1] == 0:
        return values
    least = torch.where(there, values, torch.inf).amin(dim=-1, keepdim=True)
    most = torch.where(there, values, -torch.inf).amax(dim=-1, keepdim=True)
    apart = there & (most > least)
    share = (1 - low) * (values - least) / torch.where(most > least, most - least, 1.0) + low
    return torch.where(apart, share, 0.0)


def reorder(
    fused: Tensor, pool: Calibrated, columns: Tensor, there: Tensor, scores: Tensor
) -> Tensor:
    """float64[Q, U]: the documents of ``top`` under their new scores [Q, m'], the others below them
    in their old order.

    The others have the least new score - 1, - 2, ...; what the fused list leaves out stays out.
    """
    rest = fused.masked_fill(pool.pool.docs < 0, -torch.inf).scatter(-1, columns, -torch.inf)
    kept, order = torch.sort(rest, dim=-1, descending=True, stable=True)
    places = torch.arange(1, kept.shape[-1] + 1, dtype=kept.dtype, device=kept.device)
    if scores.shape[-1] == 0:
        return fused
    least = torch.where(there, scores, torch.inf).amin(dim=-1, keepdim=True)
    below = torch.where(kept == -torch.inf, kept, least - places)
    result = torch.empty_like(fused).scatter_(-1, order, below)
    return result.scatter_(-1, columns, torch.where(there, scores, -torch.inf))


from harness.fusion.reranker.none import Keep as Keep  # noqa: E402
from harness.fusion.reranker.pretrained import (  # noqa: E402
    PretrainedReranker as PretrainedReranker,
)
