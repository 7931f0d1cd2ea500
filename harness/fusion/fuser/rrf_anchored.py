"""Reciprocal rank fusion over the documents of one list ("legacy RRF", PhaseGraph Table 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.rrf import LARGEST_K, Rrf


@dataclass(frozen=True)
class RrfAnchored:
    """score(d) = sum_l 1 / (k + rank_l(d)), over the lists l that contain d, for the anchor's
    documents.

    Attributes:
        k: in [0, 1e12].
        list: the anchor; documents that it does not contain are left out.
    """

    k: float = 60
    list: str = "dense"
    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.k", self.k, 0, LARGEST_K)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        anchored = pool[self.list].present
        return torch.where(anchored, Rrf(self.k)(pool), -torch.inf)
