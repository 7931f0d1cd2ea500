"""CombMNZ (Fox and Shaw 1994; PhaseGraph 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.shares import total
from harness.fusion.normalizer import least


@dataclass(frozen=True)
class CombMnz:
    """score(d) = n(d) sum_l (p_l(d) - m_l), n the number of lists with d, m_l = min(0, least value
    of l).

    With a normalizer to [0, 1] every m_l is 0, and this is the published formula: the sum of values
    times the number of lists. Only negative values (``zscore``, ``none``) differ: a negative sum
    times the number of lists would punish consensus, so values are shifted until an absent
    document, which has the list's least value, has 0. Montague and Aslam (CIKM 2001) likewise shift
    z-scores by the 2 that their absent documents have.
    """

    reads = frozenset({"values"})
    unit: ClassVar[bool] = False
    version = 2  # 2: negative values are shifted

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        lowest = [least(pool.listed(scored.name), scored.listing.present) for scored in pool.lists]
        shifts = zip(pool.lists, lowest, strict=True)
        return total([scored.values - low.clamp(max=0) for scored, low in shifts]).mul_(pool.held)
