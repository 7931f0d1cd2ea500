"""A terminal: how wide it is, a table that fits into it, paragraphs, and helps."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence

from harness.core import escape
from harness.core.table.grid import parted
from harness.core.table.table import Table

WIDEST = 100
"""Columns of a table and of a paragraph, at most, unless COLUMNS says another number."""
SHORTEST = 16
"""Characters of a cell that is cut, at least."""


def width() -> int:
    """How wide lines may be: COLUMNS where it is set, else at most 100, and no wider than the
    terminal.
    """
    return _terminal() or WIDEST


def _terminal() -> int | None:
    """COLUMNS where it is set, or the columns of the terminal; None where standard output is a file
    or a pipe.
    """
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return (
            min(os.get_terminal_size(sys.__stdout__.fileno()).columns, WIDEST)
            if sys.__stdout__
            else None
        )
    except (OSError, ValueError):
        return None


def fit(table: Table, wrap: bool = False) -> list[str]:
    """Head, rule and rows no wider than ``width``.

    wrap: whether a long text goes on below, at words, rather than is cut or moved.

    What is wider has its groups of columns below each other; else, in a terminal, cells of text are
    cut in their middle, as far as that takes. What is wider even so stands in parts, one below the
    other, each with the columns that name a row in front. In a file no cell is cut.
    """
    most = width()
    if _fits(found := table.lines(), most):
        return found
    table = table.stacked() or table
    in_terminal = _terminal() is not None
    for longest, wraps in _attempts(table, most, wrap, in_terminal):
        if _fits(found := table.lines(longest, wraps), most):
            return found
    least = SHORTEST if in_terminal else None

    def fits(places: Sequence[int]) -> bool:
        return _fits(table.take(places).lines(least), most)

    parts = parted(table.keys, table.units, fits)
    first, *others = (table.take(part).lines(least) for part in parts)
    return [*first, *(line for lines in others for line in ["", *lines])]


def _attempts(table: Table, most: int, wrap: bool, cut: bool) -> Iterator[tuple[int, bool]]:
    """The longest cell of each attempt, and whether longer ones are wrapped rather than cut."""
    if wrap:
        yield from ((longest, True) for longest in range(most, SHORTEST - 1, -1))
    if cut:
        widest = max((len(cell) for row in table.cells() for cell in row), default=SHORTEST)
        yield from ((longest, False) for longest in range(max(widest, SHORTEST), SHORTEST - 1, -1))


def shown_lines(table: Table) -> list[str]:
    """What the numbers are of, the table, and its notes, between blank lines."""
    said = " ".join([*table.notes, *table.source.notes])
    return [*paragraph(table.head), "", *fit(table), "", *([*paragraph(said), ""] if said else [])]


def paragraph(text: str) -> list[str]:
    """The lines of a paragraph; those after the first are indented."""
    shown = escape.terminal(text)
    return textwrap.wrap(
        shown,
        min(width(), WIDEST),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _fits(lines: Sequence[str], most: int) -> bool:
    return max(map(len, lines)) <= most


OF_HELPS = 80
"""Columns of a help."""


def fold(text: str) -> str:
    """The text, no line longer than 80 characters: paragraphs are filled, examples keep a line
    each.

    An indented line is an example; after two blanks stands what it does, below it where both do not
    fit on one line. A command that is too long goes on after a backslash.
    """
    found: list[str] = []
    for block in re.split(r"\n{2,}", text.strip()):
        lines = block.split("\n")
        if any(line.startswith(" ") for line in lines):
            found.append("\n".join(part for line in lines for part in _example(line)))
        else:
            found.append("\n".join(_filled(block)))
    return "\n\n".join(found)


def entry(name: str, told: str, width: int) -> list[str]:
    """A line of a list, ``  name   what it is``, the second and further lines below what it is."""
    return textwrap.wrap(
        told, OF_HELPS, initial_indent=f"  {name:<{width}} ", subsequent_indent=" " * (width + 3)
    )


def _filled(text: str) -> list[str]:
    return textwrap.wrap(
        " ".join(text.split()), OF_HELPS, break_long_words=False, break_on_hyphens=False
    )


def _example(line: str) -> Iterator[str]:
    if len(line) <= OF_HELPS:
        yield line
        return
    if not line.startswith(" "):
        yield from _filled(line)
        return
    indent = len(line) - len(line.lstrip())
    command, _, told = line.strip().partition("  ")
    yield from _command(command, indent)
    if told:
        edge = " " * (indent + 4)
        yield from textwrap.wrap(
            told.strip(), OF_HELPS, initial_indent=edge, subsequent_indent=edge
        )


def _command(text: str, indent: int) -> Iterator[str]:
    """Cut at blanks outside of quotes."""
    line = " " * indent
    for word in re.findall(r"(?:'[^']*'|[^\s'])+", text):
        if len(line) + len(word) + 3 > OF_HELPS and line.strip():
            yield f"{line} \\"
            line = " " * (indent + 4)
        line += word if not line.strip() else f" {word}"
    yield line
