"""The shares of lists in a score: alpha for two lists, weights by name for any number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from harness.core.errors import HarnessError, bounded
from harness.fusion.calibrated import Calibrated, Scored

Weights = Mapping[str, float]
LARGEST_BONUS = 10**6
"""The largest number that is added to a score: a greater one would round away the differences of
the scores.
"""


@dataclass(frozen=True)
class Shared:
    """The fields of a fuser that weights its lists.

    Attributes:
        alpha: share of dense, in [0, 1]; None if ``weights`` are given.
        weights: 0 or more by list name, instead of alpha, for any number of lists.
    """

    alpha: float | None = 0.5
    weights: Weights | None = field(default=None, hash=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.weights is None:
            bounded("fuser.alpha", self.alpha, 0, 1)
            return
        bounded_weights(self.weights)
        usual = next(field.default for field in fields(self) if field.name == "alpha")
        check_shares(
            {"alpha": None if self.alpha == usual else self.alpha, "weights": self.weights}
        )
        object.__setattr__(self, "alpha", None)

    def shares(self, pool: Calibrated) -> list[tuple[Scored, float]]:
        """Return each list with its weight."""
        return shares(pool, self.alpha, self.weights)


@dataclass(frozen=True)
class ConsensusBonus(Shared):
    """A fuser with weights and a bonus for consensus.

    Attributes:
        beta: bonus for a document that two lists or more contain, in [0, 1e6].
    """

    beta: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded("fuser.beta", self.beta, 0, LARGEST_BONUS)

    def rewarded(self, pool: Calibrated, parts: Sequence[tuple[Tensor, float]]) -> Tensor:
        """Return float64[Q, U], the sum of weight x tensor, plus beta if two lists or more contain
        the document.
        """
        fused = weighted_sum(parts)
        return fused.add_(pool.consensus * self.beta) if self.beta else fused


def check_shares(knobs: Mapping[str, Any]) -> None:
    """Raise HarnessError if both ``alpha`` and ``weights`` are given; knobs: by name."""
    alpha, weights = knobs.get("alpha"), knobs.get("weights")
    if alpha is not None and weights is not None:
        raise HarnessError(
            f"fuser.alpha={alpha} and fuser.weights={dict(weights)}: weights take the place of "
            "alpha; leave one of them out"
        )


def bounded_weights(weights: Weights) -> None:
    """Check that no weight is negative and one is above 0; raise HarnessError otherwise."""
    for name, weight in weights.items():
        bounded(f"fuser.weights.{name}", weight, 0)
    if weights and not any(weights.values()):
        raise HarnessError(
            f"fuser.weights={dict(weights)}: every weight is 0; give one list a weight above 0"
        )


def shares(
    pool: Calibrated, alpha: float | None, weights: Weights | None
) -> list[tuple[Scored, float]]:
    """Return each list with its weight: ``weights`` by name, or alpha for the anchor and 1 - alpha.

    The anchor is the reference list if the pool has it, otherwise ``dense``, otherwise the first
    list.
    """
    if weights is not None:
        missing = [name for name in pool.names if name not in weights]
        if missing:
            raise HarnessError(
                f"fuser.weights names {', '.join(weights) or 'no list'}; add a weight for "
                f"{', '.join(missing)}"
            )
        return [(pool[name], float(weights[name])) for name in pool.names]
    first, second = pool.pair()
    share = float(alpha or 0)
    return [(first, share), (second, 1 - share)]


def weighted_sum(parts: Sequence[tuple[Tensor, float]]) -> Tensor:
    """Return the sum of weight x tensor, a new tensor [Q, U]."""
    return total([part * weight for part, weight in parts])


def total(parts: Sequence[Tensor]) -> Tensor:
    """Return the sum of tensors, a new tensor [Q, U] with the same bits in any order of summands.

    Three or more are added from the smallest up: two documents with the same summands in other
    lists tie, and then the document number decides, not rounding.
    """
    ordered = list(parts)
    if len(ordered) == 1:
        return ordered[0].clone()
    if len(ordered) > 2:
        for last in range(len(ordered) - 1, 0, -1):
            for place in range(last):
                low, high = ordered[place], ordered[place + 1]
                ordered[place], ordered[place + 1] = (
                    torch.minimum(low, high),
                    torch.maximum(low, high),
                )
    result = ordered[0] + ordered[1]
    for part in ordered[2:]:
        result += part
    return result
