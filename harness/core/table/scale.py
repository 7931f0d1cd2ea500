"""How the scores of a metric are said: shares in percent and points, other numbers as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.core.table.format import Kind, change, changes, percent, plain, points, span
from harness.core.table.table import Column

NUMBERS: dict[Kind, Kind] = {"share": "number", "points": "change", "span": "bounds"}
"""How columns of shares are shown where scores are no shares."""


@dataclass(frozen=True)
class Scale:
    """share: scores lie in [0, 1] and are said in percent, their differences in points.    item: what has a score."""

    share: bool = True
    item: str = "question"

    def score(self, value: float) -> str:
        """``45.7%``, or ``3.214``."""
        return f"{self.number(value)}%" if self.share else self.number(value)

    def number(self, value: float) -> str:
        """The same without the percent sign."""
        return percent(value) if self.share else plain(value)

    def gain(self, value: float) -> str:
        """``+1.8 points``, or ``+0.214``."""
        return f"{self.signed(value)} points" if self.share else self.signed(value)

    def signed(self, value: float) -> str:
        """The same without the unit."""
        return points(value) if self.share else change(value)

    def span(self, bounds: Sequence[float]) -> str:
        """``-0.4 to +3.6``, in points, or in the scores' own unit."""
        return span(bounds) if self.share else changes(bounds)

    def column(self, title: str, kind: Kind = "share") -> Column:
        """The column of scores (``share``), differences (``points``), their intervals (``span``), or other numbers."""
        if not self.share:
            return Column(title, NUMBERS.get(kind, kind))
        return Column(f"{title} %" if kind == "share" else title, kind)


SHARES = Scale()
"""That of metrics of ranked lists."""
