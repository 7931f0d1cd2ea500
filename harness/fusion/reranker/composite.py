"""A fuser and the reranker behind it, as one fuser."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from harness.fusion.fuser import Calibrated, Fuser
from harness.fusion.reranker import Reranker


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
        return self.reranker(self.fuser(pool), pool)
