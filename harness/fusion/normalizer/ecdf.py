"""Percentile ranks of scores among the scores of many questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from harness.core.errors import HarnessError, whole_number
from harness.fusion.learning import LEARNED, check_numbers, learned_value
from harness.fusion.normalizer import Normalizer, PerList, ZeroAbsent
from harness.fusion.pool import Listing


@dataclass(frozen=True)
class Ecdf(PerList):
    """value_i = share of the reference scores that are <= s_i: those of the list, capped, on tune.

    A question with only poor hits is not stretched to 1, as with ``pit``. Values in [0, 1]; an
    absent document has 0, and so has a score below all reference scores.

    Attributes:
        points: 1 or more; the reference is stored as that many quantiles and the least score, with
            straight lines between them.
        reference: reference scores by list name, ascending. null: a sweep learns it on the folds of
            tune that it does not score, and ``winner.lock.json`` has the reference of all of tune.
    """

    points: int = 1000
    reference: Mapping[str, Sequence[float]] | None = field(
        default=None, hash=False, metadata=LEARNED
    )
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole_number("normalizer.points", self.points, 1)
        check_numbers("normalizer.reference", self.reference)
        for name, scores in (self.reference or {}).items():
            if not scores or list(scores) != sorted(scores):
                raise HarnessError(
                    f"normalizer.reference.{name} must be scores in ascending order, got {scores}"
                )

    def fit(self, listings: Mapping[str, Listing]) -> Ecdf:
        """Return a copy with the reference of these lists; an empty list has the reference 0."""
        return replace(
            self,
            reference={
                name: self._quantiles(listing) for name, listing in sorted(listings.items())
            },
        )

    def of(self, name: str) -> Normalizer:
        """Return the scaling of one list."""
        give = "normalizer.reference={list: [scores]}"
        reference = learned_value("normalizer=ecdf", "reference scores", self.reference, give)
        if name not in reference:
            raise HarnessError(
                f"normalizer.reference has no list {name!r}, it names "
                f"{', '.join(reference) or 'none'}; "
                "learn it on these lists"
            )
        return Among(tuple(reference[name]))

    def _quantiles(self, listing: Listing) -> list[float]:
        scores = listing.scores[listing.present].cpu().numpy()
        if not scores.size:
            return [0.0]
        levels = np.arange(self.points + 1) / self.points
        return [float(score) for score in np.quantile(scores, levels, method="inverted_cdf")]


@dataclass(frozen=True)
class Among(ZeroAbsent):
    """``Ecdf`` for one list, from its reference: the quantiles at 0, 1/n, ..., 1."""

    reference: tuple[float, ...]
    unit: ClassVar[bool] = True

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        knots = torch.tensor(self.reference, dtype=torch.float64, device=scores.device)
        last = len(knots) - 1
        above = torch.searchsorted(knots, scores.contiguous(), right=True)
        low, high = knots[(above - 1).clamp_(min=0)], knots[above.clamp(max=last)]
        apart = (above > 0) & (above <= last)
        part = torch.where(apart, (scores - low) / torch.where(apart, high - low, 1.0), 0.0)
        return torch.where(above > last, 1.0, ((above - 1).clamp_(min=0) + part) / max(last, 1))
