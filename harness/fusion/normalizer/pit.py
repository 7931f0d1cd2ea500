"""Percentile ranks: the probability integral transform of a list's own scores
(PhaseGraph eq. 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.core.errors import one_of
from harness.fusion.normalizer import ZeroAbsent, counts


@dataclass(frozen=True)
class Pit(ZeroAbsent):
    """p_i = share of the list's scores that are <= s_i.

    ``kind``: ``weak`` counts scores <= s_i, ``strict`` those < s_i, ``mean`` is the middle of the
    two; SciPy's ``percentileofscore`` has the same names. Values in [0, 1]; an absent document has
    0.
    """

    kind: str = "weak"
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        one_of("normalizer.kind", self.kind, ("weak", "strict", "mean"))

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N].

        A row descends, so n minus the start of a score's group of ties counts the scores <= it.
        """
        held = counts(present).double()
        below = (held - group_stops(scores)).clamp_(min=0) if self.kind != "weak" else None
        if self.kind == "strict" and below is not None:
            return below.div_(held.clamp_(min=1))
        at_most = held - group_starts(scores)
        if below is None:
            return at_most.div_(held.clamp_(min=1))
        return at_most.add_(below).div_(2 * held.clamp_(min=1))


def group_starts(scores: Tensor) -> Tensor:
    """Return int32[Q, N], the place where the group of equal scores of each place begins."""
    places = torch.arange(scores.shape[-1], dtype=torch.int32, device=scores.device)
    begins = scores[:, 1:] != scores[:, :-1]
    return torch.cummax(
        torch.cat([places[:1].expand(len(scores), -1), places[1:] * begins], dim=-1), dim=-1
    ).values


def group_stops(scores: Tensor) -> Tensor:
    """Return int32[Q, N], one past the place where the group of equal scores of each place ends."""
    width = scores.shape[-1]
    return width - group_starts(scores.flip(-1)).flip(-1)
