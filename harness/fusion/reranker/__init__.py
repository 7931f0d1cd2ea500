"""Rerankers, which reorder the best of the fused documents.

A reranker is a frozen dataclass, called with ``fused`` float64[Q, U] (-inf for a document that is
left out) and the calibrated pool. It returns float64[Q, U]: the same documents in another order.
Those below the best m keep their order. ``reads`` names its further inputs: ``mentions``,
``texts``, ``seeds`` (``seeding``) or ``relations``; a model is in its fields. Models that read each
(question, passage) are in the plug-in ``llm``.
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
    """The protocol of rerankers; the package's docstring has the contract."""

    reads: ClassVar[frozenset[str]]

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]; ``fused`` may be overwritten."""
        ...


def reranked(reranker: Reranker, fused: Tensor, pool: Calibrated) -> Tensor:
    """Return a reranker's scores; raise HarnessError unless they are float64[Q, U]."""
    return checked(reranker, reranker(fused, pool), pool.pool.docs.shape, "a score a document")


@dataclass(frozen=True)
class FuseThenRerank:
    """score(d) = reranker(fuser(pool), pool), for `harness fuse`, which only takes fusers."""

    fuser: Fuser
    reranker: Reranker

    @property
    def reads(self) -> frozenset[str]:
        """The inputs of the fuser."""
        return self.fuser.reads

    @property
    def unit(self) -> bool:
        """Whether the fuser needs values in [0, 1]."""
        return self.fuser.unit

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return reranked(self.reranker, fused_scores(self.fuser, pool), pool)


def top(fused: Tensor, pool: Calibrated, m: int) -> tuple[Tensor, Tensor]:
    """Return the columns int64[Q, m'] of the best m of each row, m' <= m, and bool: whether there
    is one.

    A row's documents do not depend on other rows; only the number of columns does.
    """
    scores = fused.masked_fill(pool.pool.docs < 0, -torch.inf)
    best, columns = torch.sort(scores, dim=-1, descending=True, stable=True)
    return columns[:, :m], best[:, :m] != -torch.inf


def scale(values: Tensor, present: Tensor, low: float = -1.0) -> Tensor:
    """Return float64[Q, m], each row scaled to [low, 1]; 0 if absent, and if all are equal."""
    if values.shape[-1] == 0:
        return values
    least = torch.where(present, values, torch.inf).amin(dim=-1, keepdim=True)
    most = torch.where(present, values, -torch.inf).amax(dim=-1, keepdim=True)
    varies = present & (most > least)
    share = (1 - low) * (values - least) / torch.where(most > least, most - least, 1.0) + low
    return torch.where(varies, share, 0.0)


def reorder(
    fused: Tensor, pool: Calibrated, columns: Tensor, present: Tensor, scores: Tensor
) -> Tensor:
    """Return float64[Q, U], the documents of ``top`` by new scores [Q, m'], the others below in old
    order.

    The others have the least new score - 1, - 2, ...; documents that the fused list leaves out stay
    out.
    """
    rest = fused.masked_fill(pool.pool.docs < 0, -torch.inf).scatter(-1, columns, -torch.inf)
    sorted_rest, order = torch.sort(rest, dim=-1, descending=True, stable=True)
    places = torch.arange(
        1, sorted_rest.shape[-1] + 1, dtype=sorted_rest.dtype, device=sorted_rest.device
    )
    if scores.shape[-1] == 0:
        return fused
    least = torch.where(present, scores, torch.inf).amin(dim=-1, keepdim=True)
    below = torch.where(sorted_rest == -torch.inf, sorted_rest, least - places)
    result = torch.empty_like(fused).scatter_(-1, order, below)
    return result.scatter_(-1, columns, torch.where(present, scores, -torch.inf))


from harness.fusion.reranker.none import Keep as Keep  # noqa: E402
