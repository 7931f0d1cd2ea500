"""What questions start from in a memory of entities and passages, for strategies that read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray


class Seeding(Protocol):
    """Q questions over one memory."""

    def take(self, queries: NDArray[np.int64]) -> Self:
        """Those of some of the questions."""
        ...

    def bonuses(self, docs: NDArray[np.int32], path: int, hub: float) -> Mapping[str, NDArray[np.float64]]:
        """float64[Q, U] each, of passages int32[Q, U] (-1 for none): the phis of PolicyRAG's eq. 7, by their weights.

        Each is in [0, 1]. path, hub: as ``harness.policy.rerank.Rerank`` has them.
        """
        ...
