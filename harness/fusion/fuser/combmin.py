"""CombMIN (Fox and Shaw 1994)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated, Scored
from harness.fusion.normalizer import least


@dataclass(frozen=True)
class CombMin:
    """score(d) = min_l p_l(d), d's least normalised value, over the lists l that are not empty.

    In a list without d, its value is the normalizer's absent value, but never more than the list's
    own least value: 0 for values in [0, 1], so that only documents of all lists score above 0 and
    the others are ordered by id. (ranx takes the least over the lists that contain d, so that a
    document gains if a list lacks it.)
    """

    reads: ClassVar[frozenset[str]] = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        fused = reduce(torch.minimum, [_lowered(one) for one in pool.lists])
        return torch.where(fused == torch.inf, 0.0, fused)


def _lowered(scored: Scored) -> Tensor:
    """Return float64[Q, U], the values, for absent documents at most the list's least; inf if it is
    empty.
    """
    lowest = least(scored.owner.listed(scored.name), scored.listing.present)
    values = torch.where(scored.present, scored.values, torch.minimum(scored.values, lowest))
    return torch.where(scored.empty, torch.inf, values)
