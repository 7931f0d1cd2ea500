"""Errors that the user can mend: one line with what was found, what was expected, and the mend."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from numbers import Integral, Rational, Real
from pathlib import Path
from typing import TypeGuard

NEAR = 0.5
"""The share of letters at both ends that a name has in common with one suggested for it."""
ALIKE = 0.8
"""The similarity of `difflib` from which on names are near."""
_FORM = re.compile(r"(whole )?([\[(])(\S+), (\S+)[\])]( or null)?")


class HarnessError(Exception):
    """A mistake that the user can mend. The command line prints it as one line and exits with
    status 2.
    """

    exit_code = 2


class MissingFile(HarnessError):
    """A file or folder that does not exist.

    Attributes:
        given: its path as it was typed, often relative.
    """

    def __init__(self, message: str, given: str | Path = "") -> None:
        super().__init__(message)
        self.given = str(given)


class CombinationError(HarnessError):
    """Settings that are valid alone but not together, or that nothing reads. A multirun leaves them
    out.
    """


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that tensors have. A truth value or a fraction is none."""
    exact = isinstance(value, Rational) and not isinstance(value, Integral)
    return isinstance(value, Real) and not exact and not isinstance(value, bool)


def bounded(
    name: str,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    open_low: bool = False,
) -> None:
    """Raise HarnessError unless ``low <= value <= high``. NaN and infinity are never within bounds.

    Args:
        name: the key as typed in a configuration, such as ``fuser.alpha``, or its place in a file.
        value: the value.
        low: lower bound; None for none.
        high: upper bound; None for none.
        open_low: whether the value must be above ``low``.
    """
    if not is_number(value):
        raise HarnessError(f"{name} must be a number, got {value!r}")
    below = low is not None and not (value > low if open_low else value >= low)
    above = high is not None and not value <= high
    if below or above or not _is_finite(value):
        kind = "" if _is_finite(value) else "a finite number "
        bracket = "(" if open_low else "["
        left = "(-inf" if low is None else f"{bracket}{low}"
        right = "inf)" if high is None else f"{high}]"
        raise HarnessError(
            f"{name} must be {kind}in {left}, {right}, got {re.split('[. ]', name)[-1]}="
            f"{value!s:.40}"
        )


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def whole_number(name: str, value: object, low: int | None = None, high: int | None = None) -> None:
    """Raise HarnessError unless the value is a whole number and ``low <= value <= high``.

    Args:
        name: as in ``bounded``.
        value: the value.
        low: lower bound; None for none.
        high: upper bound; None for none.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise HarnessError(f"{name} must be a whole number, got {name.rpartition('.')[2]}={value}")
    bounded(name, int(value), low, high)


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


def one_of(name: str, value: object, known: Iterable[object]) -> None:
    """Raise HarnessError, which suggests the nearest known value, unless ``value`` is one of
    ``known``.
    """
    names = [str(item) for item in known]
    if str(value) not in names:
        raise HarnessError(
            f"{name}={value} is not known{nearest(str(value), names)}; known: {', '.join(names)}"
        )


def keys_of(name: str, value: object, known: Iterable[str]) -> None:
    """Raise HarnessError unless ``value`` is None or a mapping with some of these keys."""
    names = list(known)
    if value is not None and not isinstance(value, Mapping):
        raise HarnessError(
            f"{name}={value}: expected names with values, as in '{name}={{{names[0]}: ...}}'"
        )
    for key in value or {}:
        one_of(name, key, names)


def nearest(value: str, known: Iterable[str]) -> str:
    """Return `` (did you mean X?)`` if a known name is close to ``value``, or an empty text."""
    suggestion = closest(value, known)
    return f" (did you mean {suggestion}?)" if suggestion else ""


def closest(value: str, known: Iterable[str]) -> str:
    """Return the known name that has most letters at both ends in common with a value, in any case.

    Empty if it has no more than half of the longer one's letters, so that ``rel`` is not near
    ``qrels``, nor ``grid`` near ``gold``. The beginning of a name, and a name with two letters
    exchanged, count as one letter more. If none has, a name that begins with the value is near, or
    one that lacks few of its letters (``bolzman``).
    """

    def alike(ours: str, theirs: str) -> int:
        return sum(itertools.takewhile(bool, map(operator.eq, ours, theirs)))

    def share(name: str) -> float:
        ours, theirs = value.casefold(), name.casefold()
        start = alike(ours, theirs)
        end = alike(ours[start:][::-1], theirs[start:][::-1])
        begins = start == min(len(ours), len(theirs)) > 0
        more = begins or sorted(ours) == sorted(theirs)
        return (start + end + more) / max(len(ours), len(theirs), 1)

    names = {name.casefold(): name for name in known}
    best = max(names.values(), key=share, default="")
    if share(best) > NEAR:
        return best
    typed = value.casefold()
    longer = [name for name in names if len(typed) > 3 and name.startswith(typed)]
    matches = [min(longer, key=len)] if longer else get_close_matches(typed, names, 1, ALIKE)
    return names[matches[0]] if matches else ""


def unused(key: str, why: str = "") -> str:
    """Return the message about a known key that the command does not read."""
    reason = f": {why}" if why else ""
    return f"this command does not use {key}{reason}; leave it out"


def described(value: object) -> str:
    """Return the description of an argument for a message: ``a list, ['a', 'b']``."""
    return f"{with_article(type(value).__name__)}, {' '.join(repr(value).split()):.60}"


def with_article(name: str) -> str:
    """Return a noun with its article: ``an encoder``, ``a graph``."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def path_of(name: str, value: object) -> Path:
    """Return a path. Raise HarnessError, which names the argument, for another type."""
    if not isinstance(value, (str, Path)):
        raise HarnessError(f"{name}: expected a path, got {described(value)}")
    return Path(value)


def texts_of(name: str, values: Iterable[object]) -> list[str]:
    """Return a list of texts. Raise HarnessError, which names the argument, for another type."""
    items = list(values)
    if wrong := [value for value in items if not isinstance(value, str)]:
        raise HarnessError(f"{name}: expected a text, got {described(wrong[0])}")
    return [str(value) for value in items]


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of that, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def in_words(error: BaseException) -> str:
    """Return ``ZeroDivisionError: division by zero``."""
    return f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"
