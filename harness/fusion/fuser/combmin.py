"""CombMIN (Fox and Shaw 1994)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer import least


@dataclass(frozen=True)
class CombMin:
    """score(d) = min_l p_l(d), d's least normalised value, over the lists l that are not empty.

    In a list without d, its value is the normalizer's absent value, but never more than the list's
    own least value: 0 for values in [0, 1], so that only documents of all lists score above 0 and
    the others are ordered by id. (ranx takes the least over the lists that contain d, so that a
    document gains if a list lacks it.)
    """

    reads = frozenset({"values"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        columns = []
        for scored in pool.lists:
            lowest = least(pool.listed(scored.name), scored.listing.present)
            values = torch.where(
                scored.present, scored.values, torch.minimum(scored.values, lowest)
            )
            columns.append(torch.where(scored.empty, torch.inf, values))
        fused = reduce(torch.minimum, columns)
        return torch.where(fused == torch.inf, 0.0, fused)
