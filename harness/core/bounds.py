"""Intervals of a strategy's numbers, checked when it is made."""

from __future__ import annotations

import re

from harness.core.errors import bounded, whole_number

_FORM = re.compile(r"(whole )?([\[(])(\S+), (\S+)[\])]( or null)?")


def check_fields(key: str, strategy: object, **intervals: str) -> None:
    """Raise HarnessError unless each number of a strategy is in its interval.

    Args:
        key: the strategy's key as typed in a configuration, such as ``fuser``.
        strategy: has the numbers as attributes.
        **intervals: by attribute, an interval as in mathematics: ``[0, 1]``, ``(0, inf)``,
            ``whole [1, inf)`` for whole numbers, ``[0, 1] or null`` if it may be None.
    """
    for name, interval in intervals.items():
        ((whole, bracket, first, last, null),) = _FORM.findall(interval)
        value = getattr(strategy, name)
        low, high = (None if "inf" in end else int(end) for end in (first, last))
        if value is None and null:
            continue
        if whole:
            whole_number(f"{key}.{name}", value, low, high)
        else:
            bounded(f"{key}.{name}", value, low, high, open_low=bracket == "(")
