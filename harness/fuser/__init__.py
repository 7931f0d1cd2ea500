"""Fusers: the lists of a pool to one score a document.

A fuser is a frozen dataclass, called with a ``Calibrated`` pool; it returns float64[Q, U], one score a column. ``-inf``
keeps a document out of the fused list. What it declares decides which knobs belong to its trials:

reads: of ``scores``, ``ranks``, ``values`` and ``probabilities``, what its result depends on. Without ``values`` or
``probabilities`` the normalizer changes nothing, without ``probabilities`` the temperature does not either.
unit: whether it needs normalised values in [0, 1] (``probabilities`` always do).

Powers are written ``exp(y * log(x))``: the vectorised ``pow`` gives other bits at the end of a row than inside it.
"""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

from torch import Tensor

from harness.fuser.calibrated import Calibrated, Scored
from harness.fuser.fusion import check, fuse
from harness.fuser.shares import shares

__all__ = ["Calibrated", "Fuser", "Scored", "check", "fuse", "shares"]


@runtime_checkable
class Fuser(Protocol):
    """See the package's docstring for the contract."""

    reads: ClassVar[frozenset[str]]
    unit: ClassVar[bool]

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U], a new tensor."""
        ...
