"""CombGMNZ (Lee 1997)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.combmnz import CombMnz

LARGEST_GAMMA = 100
"""The largest gamma. From about 30 on, the number of lists decides alone."""


@dataclass(frozen=True)
class CombGmnz:
    """score(d) = n(d)^gamma sum_l p_l(d), n the number of lists with d, p_l d's normalised value.

    With gamma = 0 this is CombSUM, with 1 CombMNZ. Negative values are shifted as in CombMNZ.

    Attributes:
        gamma: in [0, 100].
    """

    gamma: float = 0.5
    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __post_init__(self) -> None:
        bounded("fuser.gamma", self.gamma, 0, LARGEST_GAMMA)

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        factor = pool.held.clamp(min=1).log_().mul_(self.gamma - 1).exp_()
        return CombMnz()(pool).mul_(factor)
