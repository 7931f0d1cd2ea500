"""CLASS: the greatest of a document's values, lifted where lists agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated


@dataclass(frozen=True)
class CLASS:
    """score(d) = max over lists of the normalised values, times lift when at least two lists hold
    d.

    lift: >= 1.
    """

    lift: float = 1.5
    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.lift", self.lift, 1)

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]: one score a document; -inf would leave it out."""
        best = torch.stack([scored.values for scored in pool.lists]).amax(dim=0)
        return torch.where(pool.consensus > 0, self.lift * best, best)
