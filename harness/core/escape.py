"""Escaping: text from data is printed and never interpreted as a command.

There is one function for each place: ``terminal`` (and ``printable``, for everything that a process
prints), ``tex``, ``html``, ``markdown`` (also for MLflow's notes), ``spreadsheet``, ``file_name``
and ``override_key``.
"""

from __future__ import annotations

import contextlib
import hashlib
import html as standard
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from harness.core.secret import hide_logins, hide_values

TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\dots{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "α": r"\ensuremath{\alpha}",
    "β": r"\ensuremath{\beta}",
    "∘": r"\ensuremath{\circ}",
    "†": r"\ensuremath{\dagger}",
    "‡": r"\ensuremath{\ddagger}",
}
"""The LaTeX form of letters. Brackets and stars are in braces: at the start of a row they would be
an argument of the line break before it.
"""
INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of control and formatting characters (terminal sequences, reversed reading
order), of halves of surrogate pairs and of line separators.
"""
JOINERS = "\u200c\u200d"  # of Persian and Indic letters, and of emoji


def override_key(name: str) -> str:
    """Return a name as Hydra reads it within braces, where quotes are no part of its grammar."""
    return re.sub(r"([\\()\[\]{}:=,])", r"\\\1", name)


def terminal(text: object) -> str:
    """Return one line without control characters. White space becomes a blank."""
    return "".join(
        " " if letter.isspace() else letter
        for letter in str(text)
        if letter.isspace() or letter in JOINERS or unicodedata.category(letter) not in INVISIBLE
    )


def printable(stream: IO[str]) -> IO[str]:
    """Return a stream that passes every line through ``terminal`` before it is written, and hides
    the logins of addresses. Results are printed through it.

    If the reader of the stream has gone (``| head -1``), the rest is dropped without an error, so
    that the command does all of its work.
    """
    return cast("IO[str]", _Printable(stream, hide_logins, terminal))


def tex(text: object) -> str:
    """Return text in LaTeX. A letter that pdflatex lacks becomes its number, ``U+6F22``.

    It has the Latin letters up to U+017F.
    """
    shown = re.sub(
        r"[^\x00-\u017f]",
        lambda match: rf"\texttt{{U+{ord(match[0]):04X}}}",
        "".join(TEX.get(letter, letter) for letter in terminal(text)),
    )
    # TeX would join -- '' ,, to one sign
    return re.sub("([-',])(?=[-',])", r"\1{}", shown)


def html(text: object) -> str:
    """Return text for an HTML element or a quoted attribute."""
    return standard.escape(terminal(text))


MARKDOWN = r"[\\`*\[\]|~$#]|(?<!\w)_|_(?!\w)|(?<!\w)@|:(?=//)|(?<=www)\.|^[-+=]"
"""Characters with a meaning in Markdown at their place: an underscore at the edge of a word, but
not in ``last_hop@5``.
"""


def markdown(text: object) -> str:
    """Return text for a line of Markdown, without markup, links, images and HTML."""
    escaped = re.sub(MARKDOWN, r"\\\g<0>", terminal(text))
    escaped = re.sub(r"^\d+(?=[.)])", r"\g<0>\\", escaped)  # a numbered list
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_code(text: object) -> str:
    """Return a block of code in Markdown, with a fence that does not occur in the text."""
    code = "\n".join(map(terminal, str(text).split("\n")))
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}\n{code}\n{fence}"


def spreadsheet(value: object) -> object:
    """Return a cell of CSV. A text that looks like a formula gets an apostrophe, so that it is not
    computed.
    """
    if not isinstance(value, str):
        return value
    line = terminal(value)
    return f"'{line}" if re.match(r"\s*[=+\-@].", line) else line


def file_name(text: object) -> str:
    """Return a name for a file or a LaTeX label: ASCII letters, digits and ``_``, with hyphens for
    all other characters.

    It has at most 80 characters. A longer name ends with the first digits of its SHA-256.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", str(text)).strip("-") or "unnamed"
    if len(name) <= 80:
        return name
    return f"{name[:71]}-{hashlib.sha256(str(text).encode()).hexdigest()[:8]}"


def check_file_name(what: str, name: str) -> None:
    """Raise ValueError unless the name of a table or figure is a result of ``file_name``,
    possibly below folders.
    """
    if any(file_name(part) != part for part in name.split("/")):
        raise ValueError(
            f"{what} {name!r}: expected a name of letters, digits, _ and -, such as main_table"
        )


def masked(stream: IO[str]) -> IO[str]:
    """Return a stream that hides secrets. Messages and progress bars are written through it."""
    return cast("IO[str]", _Printable(stream, hide_values, str))


class _Printable:
    """A stream that hides what is secret in a text and shows its lines."""

    def __init__(
        self, stream: IO[str], hide: Callable[[str], str], show: Callable[[str], str]
    ) -> None:
        self.stream = stream
        self.hide = hide
        self.show = show

    def write(self, text: str) -> int:
        shown = "\n".join(map(self.show, self.hide(text).split("\n")))
        with _unread(self.stream):
            try:
                self.stream.write(shown)
            except UnicodeEncodeError as error:
                plain = shown.replace("–", "-").replace("—", "-").encode(error.encoding, "replace")
                self.stream.write(plain.decode(error.encoding))
        return len(text)

    def flush(self) -> None:
        with _unread(self.stream):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextlib.contextmanager
def _unread(stream: IO[str]) -> Iterator[None]:
    """A block that writes to a stream. If its reader has gone, the stream leads nowhere from then
    on.
    """
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
