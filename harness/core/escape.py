"""Text from data as text: what a name, a title or a question holds is printed, and never read as a
command.

One function a place: ``terminal`` (and ``printable``, for all that a process prints), ``tex``,
``html``, ``markdown`` (also for MLflow's notes), ``spreadsheet`` and ``file_name``.
"""

from __future__ import annotations

import hashlib
import html as standard
import re
import unicodedata
from collections.abc import Callable
from typing import IO, Any, cast

from harness.core.errors import HarnessError
from harness.core.secret import hide_values

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
"""Brackets and stars stand in braces: at the start of a row they would be an argument of the line
break before it.
"""
LAST_LATIN = 0x17F  # pdflatex prints Latin letters up to here; others are shown by their number
INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories of control and formatting characters (terminal sequences, reversed reading
order), of halves of surrogate pairs and of separators of lines.
"""
JOINERS = "\u200c\u200d"  # of Persian and Indic letters, and of emoji


def terminal(text: object) -> str:
    """One line without control characters: white space is a blank, other control characters are
    left out.
    """
    return "".join(
        " " if letter.isspace() else letter
        for letter in str(text)
        if letter.isspace() or letter in JOINERS or unicodedata.category(letter) not in INVISIBLE
    )


def printable(stream: IO[str]) -> IO[str]:
    """The stream, with every line that is written passing through ``terminal``."""
    return cast("IO[str]", _Printable(stream))


def tex(text: object) -> str:
    """Text that LaTeX prints as it stands; a letter that pdflatex lacks becomes its number,
    ``U+6F22``.
    """
    letters = (_tex_letter(letter) for letter in terminal(text))
    return re.sub(
        "([-',])(?=[-',])", r"\1{}", "".join(letters)
    )  # TeX would join -- '' ,, to one sign


def html(text: object) -> str:
    """Text of an HTML element or of a quoted attribute."""
    return standard.escape(terminal(text))


MARKDOWN = r"[\\`*\[\]|~$#]|(?<!\w)_|_(?!\w)|(?<!\w)@|:(?=//)|(?<=www)\.|^[-+=]"
"""What marks something up where it stands: an underscore at the edge of a word, not in
``last_hop@5``.
"""


def markdown(text: object) -> str:
    """Text of a line of Markdown, without markup, links, images and HTML of its own."""
    escaped = re.sub(MARKDOWN, r"\\\g<0>", terminal(text))
    escaped = re.sub(r"^\d+(?=[.)])", r"\g<0>\\", escaped)  # a numbered list
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_code(text: object) -> str:
    """A block of code in Markdown, line by line, between marks that the text itself does
    not hold.
    """
    code = "\n".join(map(terminal, str(text).split("\n")))
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}\n{code}\n{fence}"


def spreadsheet(value: object) -> object:
    """A cell of CSV. Text that begins as a formula does stands behind an apostrophe, so that none
    is computed.
    """
    if not isinstance(value, str):
        return value
    line = terminal(value)
    return f"'{line}" if re.match(r"\s*[=+\-@].", line) else line


def file_name(text: object) -> str:
    """A name of a file or of a label in LaTeX: ASCII letters, digits and ``_``, all else a hyphen.

    It has at most 80 characters: a longer one ends with the first digits of its SHA-256 in place of
    the rest.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", str(text)).strip("-") or "unnamed"
    return (
        name
        if len(name) <= 80
        else f"{name[:71]}-{hashlib.sha256(str(text).encode()).hexdigest()[:8]}"
    )


def check_file_name(what: str, name: str) -> None:
    """Raise HarnessError unless the name of a table or figure is one that ``file_name`` gives,
    maybe below a folder.
    """
    if any(file_name(part) != part for part in name.split("/")):
        raise HarnessError(
            f"{what} {name!r}: expected a name of letters, digits, _ and -, such as main_table"
        )


def masked(stream: IO[str]) -> IO[str]:
    """The stream without secrets; what draws a bar goes through it."""
    return cast("IO[str]", _Printable(stream, str))


class _Printable:
    def __init__(self, stream: IO[str], show: Callable[[str], str] = terminal) -> None:
        self.stream = stream
        self.show = show

    def write(self, text: str) -> int:
        shown = "\n".join(map(self.show, hide_values(text).split("\n")))
        try:
            return self.stream.write(shown)
        except UnicodeEncodeError as error:
            plain = shown.replace("–", "-").replace("—", "-").encode(error.encoding, "replace")
            return self.stream.write(plain.decode(error.encoding))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _tex_letter(letter: str) -> str:
    if letter in TEX:
        return TEX[letter]
    return letter if ord(letter) <= LAST_LATIN else rf"\texttt{{U+{ord(letter):04X}}}"
