"""Standard scores of a list: value_i = (s_i - mean) / std."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from harness.fusion.normalizer import best, counts, least, ordered_sum


@dataclass(frozen=True)
class ZScore:
    """value_i = (s_i - mean) / std, with the population's standard deviation; 0 in a constant list.

    Values are any numbers. An absent document has the list's own minimum: with 0, the mean, an
    unseen document would be ahead of half of the seen ones. An empty list gives 0.
    """

    unit: ClassVar[bool] = False

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]."""
        held = counts(present).clamp_(min=1)
        mean = ordered_sum(torch.where(present, scores, 0.0)) / held
        deviations = torch.where(present, scores - mean, 0.0)
        constant = best(scores) == least(scores, present)
        deviations /= torch.where(
            constant, 1.0, torch.maximum(best(deviations), -least(deviations, present))
        )  # squares stay in range
        deviation = (ordered_sum(deviations * deviations) / held).sqrt_()
        return torch.where(constant, 0.0, deviations / torch.where(constant, 1.0, deviation))

    def absent(self, values: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, 1], the smallest value of the list."""
        return torch.where(present.any(dim=-1, keepdim=True), least(values, present), 0.0)
