"""A temperature that increases with the distance between the lists (PhaseGraph App. C)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from harness.core.errors import bounded
from harness.fusion.normalizer import counts, ordered_sum
from harness.fusion.temperature import LARGEST


@dataclass(frozen=True)
class Wasserstein:
    """T = T0 (1 + gamma W1), W1 the Wasserstein-1 distance of the normalised values of two lists.

    With more than two lists, W1 of a list is the mean of its distances to the others. An empty list
    has no distribution: it is left out, and its own W1 is 0. T0 > 0 and
    gamma >= 0, both at most 1e9.
    """

    T0: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        bounded("temperature.T0", self.T0, 0, LARGEST, open_low=True)
        bounded("temperature.gamma", self.gamma, 0, LARGEST)

    def __call__(self, values: Sequence[Tensor], present: Sequence[Tensor]) -> list[Tensor]:
        """Return float64[Q, 1] for each list."""
        sizes = [counts(held) for held in present]
        totals = [value.new_zeros((value.shape[0], 1)) for value in values]
        others = [torch.zeros_like(size) for size in sizes]
        for a, b in itertools.combinations(range(len(values)), 2):
            gap = distance(values[a], present[a], values[b], present[b])
            for one, other in ((a, b), (b, a)):
                totals[one] += gap
                others[one] += sizes[other] > 0
        return [
            self.T0 * (1 + self.gamma * (total / other.clamp(min=1)))
            for total, other in zip(totals, others, strict=True)
        ]


def distance(
    first: Tensor, first_present: Tensor, second: Tensor, second_present: Tensor
) -> Tensor:
    """Return float64[Q, 1], W1 = integral of |F - G|, F and G the empirical distributions; 0 if one
    is empty.

    The difference of the distributions is counted in whole units of 1 / (n m), so the order of
    summation does not matter.
    """
    n, m = counts(first_present), counts(second_present)
    if first.shape[-1] == 0 or second.shape[-1] == 0:
        return first.new_zeros((first.shape[0], 1))
    floor = torch.minimum(first[:, :1], second[:, :1])
    points = torch.cat(
        [torch.where(first_present, first, floor), torch.where(second_present, second, floor)],
        dim=-1,
    )
    steps = torch.cat([m * first_present, -n * second_present], dim=-1)
    points, order = torch.sort(points, dim=-1, descending=True, stable=True)
    gaps = points[:, :-1] - points[:, 1:]
    difference = steps.gather(-1, order).cumsum(dim=-1)[:, :-1].abs()
    return ordered_sum(difference * gaps) / (n * m).clamp(min=1)
