"""Values as Hydra's grammar reads them: numbers, texts, null, lists and mappings.

What this reader does not know (escapes, interpolations, Hydra's functions) is read by Hydra's own
parser, which takes a fifth of a second to load.
"""

from __future__ import annotations

import re
from typing import Any

from harness.core.errors import HarnessError

SPACE = re.compile(r"\s*")
PLAIN = re.compile(r"[\w/.:@%+*?| -]+", re.ASCII)
NAME = re.compile(r"[\w/.@%+*?| -]+", re.ASCII)
"""A plain text, and one before a colon."""
QUOTED = re.compile(r"""'([^'\\]*)'|"([^"\\]*)\"""")
WHOLE = re.compile(r"[-+]?(?:0|[1-9]\d*)")
NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9]\d*)?\.\d+|(?:0|[1-9]\d*)\.?)(?:e[-+]?\d+)?", re.IGNORECASE)
LIKE_NUMBER = re.compile(r"[-+]?[\d_]*\.?[\d_]*(?:e[-+]?\d+)?|[-+]?(?:inf|nan)", re.IGNORECASE)
"""What only Hydra knows to be a number or a text, as ``1_000`` and ``007``."""
WORDS = {"true": True, "false": False, "null": None}
DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")
BEFORE_COLON = re.compile(r"[{,]\s*([^{}\[\],:]+?)\s*:")
TYPED = re.compile(r"[\w ./+-]+", re.ASCII)
"""A name that Hydra's grammar reads before a colon; it has no quotes for names."""


class _OtherFormError(Exception):
    """A value that this reader does not know."""


def parse(key: str, value: str) -> Any:
    """Return the value that was typed for a key.

    Raises:
        HarnessError: it cannot be read, or it is several values.
    """
    try:
        text = f"{key}={value}"
        found, end = _element(text, len(key) + 1) if value else ("", len(text))
        if end == len(text):
            return found
    except _OtherFormError:
        pass
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    try:
        (override,) = OverridesParser.create().parse_overrides([f"key={value}"])
    except OverrideParseException as error:
        raise _unreadable(key, value) from error
    if override.is_sweep_override():
        point = value.replace(",", ".")
        mend = f", with a decimal point {key}={point}" if DECIMAL.fullmatch(value) else ""
        raise HarnessError(f"{key}={value}: several values; a list is {key}=[{value}]{mend}")
    return override.value()


def _element(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at a place, and where it ends."""
    at = _after_space(text, at)
    if text[at : at + 1] == "[":
        items, at = _items(text, at, "]")
        return [value for _, value in items], at
    if text[at : at + 1] == "{":
        items, at = _items(text, at, "}")
        return dict(items), at
    if found := QUOTED.match(text, at):
        return found[1] or found[2] or "", _after_space(text, found.end())
    return _plain(PLAIN.match(text, at))


def _items(text: str, at: int, end: str) -> tuple[list[tuple[Any, Any]], int]:
    items: list[tuple[Any, Any]] = []
    at = _after_space(text, at + 1)
    while text[at : at + 1] != end:
        name = None
        if end == "}":
            name, at = _plain(NAME.match(text, at))
            if text[at : at + 1] != ":":
                raise _OtherFormError
            if any(other == name for other, _ in items):
                raise HarnessError(f"{text}: {name} stands twice; give each its own name")
            at += 1
        value, at = _element(text, at)
        items.append((name, value))
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != end:
            raise _OtherFormError
    return items, _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    assert found is not None
    return found.end()


def _plain(found: re.Match[str] | None) -> tuple[Any, int]:
    if found is None or not (word := found[0].strip()):
        raise _OtherFormError
    if WHOLE.fullmatch(word):
        return int(word), found.end()
    if NUMBER.fullmatch(word):
        return float(word), found.end()
    if LIKE_NUMBER.fullmatch(word):
        raise _OtherFormError
    return WORDS.get(word.lower(), word), found.end()


def _unreadable(key: str, value: str) -> HarnessError:
    nested = value.startswith(("{", "["))
    if nested and sum(map(value.count, "[{")) > sum(map(value.count, "]}")):
        return HarnessError(f"{key}={value}: a bracket is opened and not closed")
    if wrong := [name for name in BEFORE_COLON.findall(value) if not TYPED.fullmatch(name)]:
        plain = wrong[0].strip("'\"")
        mend = f"write {plain} without quotes" if TYPED.fullmatch(plain) else "give it another name"
        return HarnessError(
            f"{key}={value}: a name before a colon has A-Z, a-z, 0-9, blanks and _-./+ alone; "
            f"{mend}"
        )
    inside = value.strip("'\"")
    mend = f"'{key}={{name: \"...\"}}'" if nested else f"'{key}=\"{inside}\"'"
    return HarnessError(
        f"{key}={value} cannot be read as it is typed; such a text needs quotes within those of "
        f"the shell: {mend}"
    )
