"""Numbers as people read them: shares as percent with one decimal, p with three or ``<.001``, null as a dash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd

MISSING = "–"

Kind = Literal["text", "share", "points", "p", "count", "interval", "span"]


def shown(value: Any, kind: Kind) -> str:
    """A value as text of its kind; null and NaN are a dash."""
    if _missing(value):
        return MISSING
    if kind == "share":
        return percent(value)
    if kind == "points":
        return points(value)
    if kind == "p":
        return p_value(value)
    if kind == "interval":
        return interval(value)
    if kind == "span":
        return span(value)
    return str(int(value)) if kind == "count" else str(value)


def percent(share: float) -> str:
    """``0.4567`` as ``45.7``."""
    return f"{100 * share:.1f}"


def p_value(p: float) -> str:
    """``0.0227`` as ``.023``; below .001 as ``<.001``; 1 as ``1.000``."""
    if p < 0.001:
        return "<.001"
    text = f"{p:.3f}"
    return text if text.startswith("1") else text[1:]


def interval(bounds: Sequence[float]) -> str:
    """``[0.187, 0.8124]`` as ``18.7–81.2``, in percent."""
    low, high = bounds
    return f"{percent(low)}–{percent(high)}"


def points(difference: float) -> str:
    """``0.0183`` as ``+1.8``, in percentage points."""
    return f"{100 * difference:+.1f}"


def span(bounds: Sequence[float]) -> str:
    """``[-0.004, 0.036]`` as ``-0.4 to +3.6``, in percentage points."""
    low, high = bounds
    return f"{points(low)} to {points(high)}"


def number(value: Any) -> float | None:
    """What a table is sorted by: the value, or an interval's lower bound; None for text and null."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    if _missing(first) or isinstance(first, (str, bool)):
        return None
    return float(first)


def _missing(value: Any) -> bool:
    return not value if isinstance(value, (list, tuple)) else bool(pd.isna(value))
