"""Rerankers: another order for the best of the fused documents (SPEC 7).

A reranker is a frozen dataclass, called with ``fused`` float64[Q, U] (-inf for a document that is left out) and the
calibrated pool it came from. It returns float64[Q, U]: the same documents in another order. What it needs beside the
pool (couplings, texts, a model's store) are its fields.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import Tensor

from harness.fuser import Calibrated


@runtime_checkable
class Reranker(Protocol):
    """See the package's docstring for the contract."""

    def __call__(self, fused: Tensor, pool: Calibrated) -> Tensor:
        """float64[Q, U]; ``fused`` may be written over."""
        ...
