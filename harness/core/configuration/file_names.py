"""File names as people have them, in overrides: Hydra's grammar reads brackets, commas, blanks and
other letters.

A value that names a file is put into quotes, so that it is taken as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

NAMES_A_FILE = re.compile(
    r"\+*(?:run|baseline|gold|out|figure|lock|queries|splitting|lists\.\w+|(?:\w+\.)*path)"
)
"""Keys whose value is a file's name, or several."""
PLAIN = re.compile(r"[A-Za-z0-9_/.:@%+*?-]*")
"""What Hydra takes as it is; ``*`` and ``?`` are of patterns."""
NO_TEXT = re.compile(
    r"[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:e[-+]?\d+)?|null|true|false|nan|inf", re.IGNORECASE
)
"""What Hydra would read as something else than a text."""
TOKEN = re.compile(r"(?<=[\[{,])(\s*)([^\[\]{},]+?)(\s*)(?=[,\]}])")
"""What stands between the brackets and commas of a list or a mapping."""


def quote_file(text: str) -> str:
    """Return the override, names of files in quotes where Hydra would read them as something else;
    ``~`` is expanded.
    """
    key, equals, value = text.partition("=")
    of_file = bool(NAMES_A_FILE.fullmatch(key))
    if not equals or not value or not (of_file or key == "lists"):
        return text
    if of_file and _is_there(value):
        return f"{key}={_quote(_expanded(value))}"
    if value[0] in "[{":
        return f"{key}={TOKEN.sub(_quote_token, value)}"
    odd = not PLAIN.fullmatch(value) and not re.search(
        r"[,('\"]|\$\{", value
    )  # of a sweep, choice(...), ${...}
    return f"{key}={_quote(_expanded(value))}" if of_file and odd else text


def _quote_token(found: re.Match[str]) -> str:
    before, token, after = found.groups()
    name, colon, value = ("", "", token) if _is_there(token) else token.rpartition(": ")
    if not value or not (_is_there(value) or re.fullmatch(r"[^'\"]*[^\x00-\x7f'\"][^'\"]*", value)):
        return found[0]
    return f"{before}{name}{colon}{_quote(_expanded(value))}{after}"


def _expanded(value: str) -> str:
    return str(Path(value).expanduser()) if value.startswith("~/") else value


def _is_there(value: str) -> bool:
    try:
        return Path(_expanded(value)).exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _quote(value: str) -> str:
    """A value as Hydra reads it back: in quotes, unless it is plain."""
    if PLAIN.fullmatch(value) and not NO_TEXT.fullmatch(value):
        return value
    escaped = re.sub(
        r"(\\*)('|\Z)", lambda found: found[1] * 2 + (r"\'" if found[2] else ""), value
    )
    return "'" + escaped.replace("${", r"\${") + "'"
