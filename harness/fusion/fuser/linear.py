"""Linear fusion: a weighted sum of calibrated scores, with a bonus for consensus (PhaseGraph 6.2;
TM2C2 with `tmm`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import ConsensusBonus


@dataclass(frozen=True)
class Linear(ConsensusBonus):
    """score(d) = alpha p_dense(d) + (1 - alpha) p_graph(d) + beta [d in both], of normalised values
    p.

    alpha: dense's share, in [0, 1].    beta: bonus for a document that at least two lists hold, >=
    0.
    weights: >= 0 by list name, instead of alpha, for any number of lists.
    An absent document has the normalizer's absent value.
    """

    alpha: float = 0.7
    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """float64[Q, U]."""
        return self.rewarded(
            pool, [(scored.values, weight) for scored, weight in self.shares(pool)]
        )
