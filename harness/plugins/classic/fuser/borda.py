"""Borda fusion (Aslam and Montague 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.fuser import Calibrated, total
from harness.fusion.normalizer import counts


@dataclass(frozen=True)
class Borda:
    """score(d) = sum_l points_l(d), with c + 1 - rank_l(d) points for a document of list l, c the
    number of documents of all lists.

    The documents that a list of n documents lacks share its other points equally: each has
    (c - n + 1) / 2.
    """

    reads = frozenset({"ranks"})
    unit: ClassVar[bool] = False

    def __call__(self, pool: Calibrated) -> Tensor:
        """Return float64[Q, U]."""
        candidates = pool.held > 0
        count = counts(candidates)
        points = []
        for scored in pool.lists:
            shared = (count - counts(scored.present) + 1) / 2
            ranked = count + 1 - scored.ranks
            points.append(torch.where(scored.present, ranked, shared.double()))
        return total(points).mul_(candidates)
