"""Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from harness.core.arrays import BoolArray, Float64Array, Int64Array
from harness.core.errors import bounded, whole_number
from harness.fusion.context import needed
from harness.fusion.fuser import Calibrated
from harness.fusion.reranker import reorder, scale, top
from harness.retriever.search import row_products


@dataclass(frozen=True)
class Mmr:
    """Maximal marginal relevance: the next d has the greatest L h(d) - (1 - L) max_s cos(d, s).

    The fused top m are chosen one after another. h is the fused score, scaled to [0, 1] over the
    top m of the question (0 if all are equal). s are the passages chosen before; at the first
    choice the second part is 0. cos is of the vectors of the configured ``encoder``. Of equal ones,
    the one that was fused higher is chosen.

    Args:
        relevance: L, the paper's lambda, in [0, 1]; 1 is the fused order, 0 prefers passages unlike
            those chosen before.
        m: number of reranked documents, >= 1.
    """

    reads: ClassVar[frozenset[str]] = frozenset({"encoder"})

    relevance: float = 0.5
    m: int = 10

    def __post_init__(self) -> None:
        bounded("reranker.relevance", self.relevance, 0, 1)
        whole_number("reranker.m", self.m, 1)

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U], the reranked scores."""
        vectors = needed(
            pool.pool.context.vectors, "reranker=mmr compares passages by their vectors"
        )
        columns, there = top(fused, pool, self.m)
        docs = (
            torch.where(there, pool.pool.docs.gather(-1, columns), -1)
            .cpu()
            .numpy()
            .astype(np.int64)
        )
        alike = pool.remember(("cosines", docs.tobytes()), lambda: row_products(vectors, docs))
        relevant = scale(fused.gather(-1, columns), there, 0.0).cpu().numpy()
        places = self._choose(relevant, alike, there.cpu().numpy())
        scores = torch.from_numpy(places.shape[1] - places.astype(np.float64)).to(fused.device)
        return reorder(fused, pool, columns, there, scores)

    def _choose(self, relevant: Float64Array, alike: Float64Array, there: BoolArray) -> Int64Array:
        """Return int64[Q, m], when each passage is chosen, from 0; missing ones come last."""
        free, rows = there.copy(), np.arange(len(there))
        places = np.full(there.shape, there.shape[1], dtype=np.int64)
        nearest = np.zeros(there.shape)
        for place in range(there.shape[1]):
            values = self.relevance * relevant - (1 - self.relevance) * nearest
            best = np.where(free, values, -np.inf).argmax(axis=1)
            chosen = free[rows, best]
            places[rows[chosen], best[chosen]] = place
            free[rows, best] = False
            nearest = alike[rows, best] if place == 0 else np.maximum(nearest, alike[rows, best])
        return places
