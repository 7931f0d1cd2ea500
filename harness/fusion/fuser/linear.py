"""Linear fusion: a weighted sum of calibrated scores with a consensus bonus (PhaseGraph 6.2;
TM2C2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import ConsensusBonus


@dataclass(frozen=True)
class Linear(ConsensusBonus):
    """score(d) = alpha p_dense(d) + (1 - alpha) p_graph(d) + beta [d in both], p normalised values.

    An absent document has the normalizer's absent value. With `tmm` it is TM2C2.

    Attributes:
        alpha: share of dense, in [0, 1].
        beta: bonus for a document that two lists or more contain, in [0, 1e6].
        weights: 0 or more by list name, instead of alpha, for any number of lists.
    """

    alpha: float | None = 0.7
    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        return self.rewarded(
            pool, [(scored.values, weight) for scored, weight in self.shares(pool)]
        )
