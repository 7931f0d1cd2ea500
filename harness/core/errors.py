"""What the user can mend: one line that names what was found, what was expected, and the mend."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import TypeGuard

NEAR = 0.6
"""The share of letters in common from which on a known name may be what was meant."""


class HarnessError(Exception):
    """A mistake that the user can mend. The command line prints it as one line and exits with
    status 2.
    """

    exit_code = 2


class MissingFile(HarnessError):
    """A file or folder that is not there.    given: its path as it was typed, often relative."""

    def __init__(self, message: str, given: str | Path = "") -> None:
        super().__init__(message)
        self.given = str(given)


class CombinationError(HarnessError):
    """Settings that are right one by one and do not go together, or that nothing reads: a multirun
    leaves them out.
    """


def is_number(value: object) -> TypeGuard[float]:
    """Whether this is a number, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def bounded(
    name: str,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    open_low: bool = False,
) -> None:
    """Raise unless ``low <= value <= high`` (``low < value`` with ``open_low``); ``None`` bounds
    are infinite.

    name: the knob as it is typed in a config, e.g. ``fuser.alpha``, or its place in a file. A NaN
    and an infinity are never within bounds.
    """
    if not is_number(value):
        raise HarnessError(f"{name} must be a number, got {value!r}")
    below = low is not None and not (value > low if open_low else value >= low)
    above = high is not None and not value <= high
    if below or above or not _is_finite(value):
        kind = "" if _is_finite(value) else "a finite number "
        left = "(-inf" if low is None else f"{'(' if open_low else '['}{low}"
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
    """Raise unless the value is a whole number, ``low <= value <= high``.    name, bounds: as in
    ``bounded``.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise HarnessError(f"{name} must be a whole number, got {name.rpartition('.')[2]}={value}")
    bounded(name, int(value), low, high)


def one_of(name: str, value: object, known: Iterable[object]) -> None:
    """Raise unless ``value`` is one of ``known``; the message names the nearest known one."""
    names = [str(item) for item in known]
    if str(value) not in names:
        raise HarnessError(
            f"{name}={value} is not known{nearest(str(value), names)}; known: {', '.join(names)}"
        )


def keys_of(name: str, value: object, known: Iterable[str]) -> None:
    """Raise unless ``value`` is None or a mapping of some of these keys."""
    names = list(known)
    if value is not None and not isinstance(value, Mapping):
        raise HarnessError(
            f"{name}={value}: expected names with values, as in '{name}={{{names[0]}: ...}}'"
        )
    for key in value or {}:
        one_of(name, key, names)


def nearest(value: str, known: Iterable[str]) -> str:
    """`` (did you mean X?)`` when something in ``known`` is close to ``value``, else an empty
    string.
    """
    found = closest(value, known)
    return f" (did you mean {found}?)" if found else ""


def closest(value: str, known: Iterable[str]) -> str:
    """Return what is most like a value among what is known; empty where nothing is near."""
    return next(iter(difflib.get_close_matches(value, list(known), n=1, cutoff=NEAR)), "")


def unused(key: str, why: str = "") -> str:
    """The warning about a key that is known, and that the command does not read."""
    told = f": {why}" if why else ""
    return f"warning: this command does not use {key}; it is ignored{told}"


def described(value: object) -> str:
    """What an argument is, for a message: ``a list, ['a', 'b']``."""
    return f"{with_article(type(value).__name__)}, {' '.join(repr(value).split()):.60}"


def with_article(name: str) -> str:
    """``an encoder``, ``a graph``."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def path_of(name: str, value: object) -> Path:
    """A path. Raises HarnessError for what is none.    name: of the argument."""
    if not isinstance(value, (str, Path)):
        raise HarnessError(f"{name}: expected a path, got {described(value)}")
    return Path(value)


def texts_of(name: str, values: Iterable[object]) -> list[str]:
    """Some texts. Raises HarnessError for what is none.    name: of the argument."""
    found = list(values)
    if wrong := [value for value in found if not isinstance(value, str)]:
        raise HarnessError(f"{name}: expected a text, got {described(wrong[0])}")
    return [str(value) for value in found]
