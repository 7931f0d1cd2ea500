"""Numbers in tables and sentences, and the descriptions of columns.

Shares are shown in percent with one decimal, p values with three or as ``<.001``, and missing
values as a dash. More digits are shown if fewer would contradict the number that a value is
compared with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

MISSING = "–"
MOST_DECIMALS = 6
LEVEL = 0.05
"""The significance level: a p of at most this shows a difference."""

Kind = Literal[
    "text",
    "share",
    "points",
    "p",
    "count",
    "interval",
    "span",
    "value",
    "measured",
    "change",
    "bounds",
]
"""The format of a column's values.

``points`` and ``span`` (an interval of points) have a sign, ``value`` is plain, and ``measured``
(seconds, megabytes) has three significant digits. ``value``, ``change`` and ``bounds`` replace
``share``, ``points`` and ``span`` for scores that are no shares.
"""
PAIRS: tuple[Kind, ...] = ("interval", "span", "bounds")
"""Kinds of columns whose cells are two numbers, and two columns in CSV."""
NUMBERS: dict[Kind, Kind] = {"share": "value", "points": "change", "span": "bounds"}
"""The kinds that replace those of shares if scores are no shares."""


@dataclass(frozen=True)
class Column:
    """The description of a column.

    Attributes:
        title: its head.
        kind: the format of its values, and so their unit and digits.
        of: for an interval, the title of the column with its value. The two stay together.
        name: its name in stored data.
    """

    title: str
    kind: Kind = "share"
    of: str = ""
    name: str = ""

    @property
    def named(self) -> str:
        """The title with its unit, for places without a legend."""
        plain = self.kind in ("points", "span") and "points" not in self.title
        return f"{self.title} (points)" if plain else self.title


T = TypeVar("T")


@dataclass(frozen=True)
class Field(Generic[T]):
    """A column, and how a table reads its values.

    Attributes:
        column: its description.
        read: returns the value of an item.
        shown: whether the table has this column.
        faces: the names of the views that show it.
    """

    column: Column
    read: Callable[[T], Any]
    shown: bool = True
    faces: tuple[str, ...] = ()


def show(value: Any, kind: Kind) -> str:
    """Return a value as text of its kind; null and NaN are a dash."""
    if is_missing(value):
        return MISSING
    return FORMATS[kind](value)


def counted(number: int, name: str) -> str:
    """Return a number with its noun: ``1 question``, ``12,345 questions``, ``2 queries``."""
    plural = re.sub("(?<![aeo])y$", "ie", name) + "s"
    return f"{number:,} {name if number == 1 else plural}"


def percent(share: float, decimals: int = 1) -> str:
    """Return ``45.7`` for ``0.4567``."""
    return f"{100 * share:.{decimals}f}"


def percents(*shares: float) -> list[str]:
    """Return shares that are compared in percent, with enough decimals to tell them apart."""
    for decimals in range(1, MOST_DECIMALS + 1):
        texts = [percent(share, decimals) for share in shares]
        if len(set(texts)) == len(set(shares)):
            break
    return texts


def shown(p: float | None) -> bool:
    """Return whether a p shows a difference; None was not tested and shows none."""
    return p is not None and p <= LEVEL


def p_value(p: float | None) -> str:
    """Return a p as text: ``.023``, ``<.001`` or ``1.000``; a dash for None.

    A p just above .05 has enough decimals not to look like .05.
    """
    if p is None:
        return MISSING
    if p < 0.001:
        return "<.001"
    for decimals in range(3, MOST_DECIMALS + 1):
        text = f"{p:.{decimals}f}"
        if (float(text) <= LEVEL) == (p <= LEVEL):
            break
    return text if text.startswith("1") else text[1:]


def interval(bounds: Sequence[float]) -> str:
    """Return ``18.7–81.2``, in percent, for ``[0.187, 0.8124]``."""
    low, high = bounds
    return f"{percent(low)}–{percent(high)}"


def points(difference: float, decimals: int = 1) -> str:
    """Return ``+1.8``, in percentage points, for ``0.0183``."""
    return f"{100 * difference:+.{decimals}f}"


def span(bounds: Sequence[float]) -> str:
    """Return ``-0.4 to +3.6``, in points, for ``[-0.004, 0.036]``.

    A bound that is not zero has enough decimals not to look like zero.
    """
    for decimals in range(1, MOST_DECIMALS + 1):
        low, high = (points(bound, decimals) for bound in bounds)
        if all(
            (float(text) == 0) == (bound == 0)
            for text, bound in zip((low, high), bounds, strict=True)
        ):
            return f"{low} to {high}"
    return " to ".join(points(bound) for bound in bounds)


def digits(value: float, count: int) -> str:
    """Return a number with so many significant digits and no exponent: ``110``, ``0.000043``."""
    text = f"{value:.{count}g}"
    return f"{Decimal(text):f}" if math.isfinite(value) else text


def plain(value: Any) -> str:
    """Return a float with four significant digits, and any other value as text."""
    return digits(value, 4) if isinstance(value, float) else str(value)


def measured(value: float) -> str:
    """Return a number with three significant digits: ``0.445``, ``57.4``, ``1390``."""
    return digits(value, 3)


def change(difference: float) -> str:
    """Return a difference with its sign and three significant digits."""
    return f"{'' if difference < 0 else '+'}{digits(difference, 3)}"


def changes(bounds: Sequence[float]) -> str:
    """Return ``-0.4 to +3.6`` for ``[-0.4, 3.6]``."""
    return " to ".join(map(change, bounds))


def sort_key(value: Any) -> float | None:
    """Return the number that a cell is sorted by, or None for text and missing values.

    The number is the value itself, or the lower bound of an interval.
    """
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    if is_missing(first) or isinstance(first, (str, bool)):
        return None
    return float(first)


def is_missing(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN, or an interval without bounds."""
    return not value if isinstance(value, (list, tuple)) else value is None or bool(value != value)


FORMATS: Mapping[Kind, Callable[[Any], str]] = {
    "text": str,
    "share": percent,
    "points": points,
    "p": p_value,
    "count": lambda value: str(int(value)),
    "interval": interval,
    "span": span,
    "value": plain,
    "measured": measured,
    "change": change,
    "bounds": changes,
}


@dataclass(frozen=True)
class Scale:
    """The unit of scores.

    Attributes:
        share: whether scores lie in [0, 1]. They are then shown in percent and their differences in
            points.
        item: the noun for one scored item.
    """

    share: bool = True
    item: str = "question"

    def score(self, value: float) -> str:
        """Return ``45.7%``, or ``3.214``."""
        return f"{percent(value)}%" if self.share else plain(value)

    def gain(self, value: float) -> str:
        """Return ``+1.8 points``, or ``+0.214``."""
        return f"{points(value)} points" if self.share else change(value)

    def span(self, bounds: Sequence[float]) -> str:
        """Return ``-0.4 to +3.6``, in points or in the unit of the scores."""
        return span(bounds) if self.share else changes(bounds)

    def column(self, title: str, kind: Kind = "share") -> Column:
        """Return the column of scores, differences (``points``), their intervals or other
        numbers.
        """
        if not self.share:
            return Column(title, NUMBERS.get(kind, kind))
        if kind == "share":
            title = f"{title} %"
        return Column(title, kind)


SHARES = Scale()
"""The scale of the metrics of ranked lists."""
