"""No reranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class Keep:
    """The fused order, unchanged."""

    reads: ClassVar[frozenset[str]] = frozenset()

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return fused
