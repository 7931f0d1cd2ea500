"""Theoretical min-max scaling, from the least score that a retriever can give (TM2C2; ADR)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor

from harness.core.errors import HarnessError, bounded
from harness.core.escape import override_key
from harness.fusion.normalizer import Normalizer, PerList, ZeroAbsent, best, least


@dataclass(frozen=True)
class Tmm(PerList):
    """value_i = (s_i - inf) / (max - inf), inf the least score that the list's retriever can give.

    ``minimum`` is inf by list name; -1 for a cosine, 0 for BM25 and PageRank. A sweep takes it from
    the list's retriever (``least``); a list from a file has only what is typed. Values in [0, 1];
    an absent document has 0, and so has every document of a list whose greatest score is inf.
    """

    minimum: Mapping[str, float] = field(
        default_factory=lambda: {"dense": -1.0, "graph": 0.0, "bm25": 0.0}, hash=False
    )
    unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, value in self.minimum.items():
            bounded(f"normalizer.minimum.{name}", value)

    def of(self, name: str) -> Normalizer:
        """Return the scaling of one list."""
        if fault := self.lacks([name]):
            raise HarnessError(f"normalizer=tmm: {fault}")
        return Above(name, self.minimum)

    def lacks(self, names: Iterable[str]) -> str | None:
        """Return which of these lists have no minimum, and how to give it, or None."""
        unknown = [name for name in names if name not in self.minimum]
        if not unknown:
            return None
        key = _key({**self.minimum, **dict.fromkeys(unknown, 0)})
        return (
            f"it needs the lowest possible score of {' and '.join(unknown)}; add {key} (0 for BM25 "
            "and PageRank, -1 for a cosine)"
        )


def _key(minimum: Mapping[str, float]) -> str:
    """Return the key with the minimum of each list, as it is typed."""
    pairs = ", ".join(f"{override_key(name)}: {low:g}" for name, low in minimum.items())
    return f"'normalizer.minimum={{{pairs}}}'"


@dataclass(frozen=True)
class Above(ZeroAbsent):
    """``Tmm`` for one list, from its theoretical minimum."""

    name: str
    minima: Mapping[str, float] = field(hash=False)
    unit: ClassVar[bool] = True

    def __call__(self, scores: Tensor, present: Tensor) -> Tensor:
        """Return float64[Q, N]; raise HarnessError for a score below the minimum."""
        minimum = float(self.minima[self.name])
        low = least(scores, present)[present.any(dim=-1)]
        if (low < minimum).any():
            value = low.min().item()
            raise HarnessError(
                f"list {self.name} holds the score {value:g}, below "
                f"normalizer.minimum.{self.name}={minimum:g}; "
                f"give the lowest score that its retriever can give: "
                f"{_key({**self.minima, self.name: value})}"
            )
        span = best(scores) - minimum
        return (scores - minimum).div_(torch.where(span > 0, span, 1.0))
