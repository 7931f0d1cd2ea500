"""Tables, paragraphs and help texts for a terminal of a given width."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence

from harness.core import escape
from harness.core.table.table import Table
from harness.core.table.text_grid import parted

WIDEST = 100
"""Largest width of tables and paragraphs, unless COLUMNS is set."""
SHORTEST = 16
"""Smallest number of characters of a line of a wrapped cell."""


def width() -> int:
    """Return the width of lines: COLUMNS if it is set, otherwise at most 100 and at most the
    terminal's width.
    """
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return min(os.get_terminal_size(sys.__stdout__.fileno()).columns, WIDEST)  # type: ignore[union-attr]
    except (AttributeError, OSError, ValueError):
        return WIDEST


def fit(table: Table) -> list[str]:
    """Return head, rule and rows no wider than ``width``.

    In a table that is wider, groups of columns stand below each other. If it is still too wide,
    long cells are wrapped at words. If that is not enough, the columns stand in several parts,
    each with the columns that name a row.
    """
    most = width()
    if _fits(found := table.lines(), most):
        return found
    table = table.stacked() or table
    for longest in range(most, SHORTEST - 1, -1):
        if _fits(found := table.lines(longest), most):
            return found

    def fits(places: Sequence[int]) -> bool:
        return _fits(table.take(places).lines(SHORTEST), most)

    parts = parted(table.keys, table.units, fits)
    first, *others = (table.take(part).lines(SHORTEST) for part in parts)
    return [*first, *(line for lines in others for line in ["", *lines])]


def shown_lines(table: Table) -> list[str]:
    """Return the title, the table, and its notes, with blank lines between them."""
    said = " ".join([*table.notes, *table.source.notes])
    return [*paragraph(table.head), "", *fit(table), "", *([*paragraph(said), ""] if said else [])]


def paragraph(text: str) -> list[str]:
    """Return the lines of a paragraph; those after the first are indented."""
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
"""The width of a help text."""


def fold(text: str) -> str:
    """Return a help text with no line longer than 80 characters.

    Paragraphs are filled. An indented line is an example; the text behind two blanks explains it,
    on a line of its own if both do not fit on one. A command that is too long goes on after a
    backslash.
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
    """Return the lines of a list entry, ``  name   explanation``."""
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
    command, _, help_text = line.strip().partition("  ")
    yield from _command(command, indent)
    if help_text:
        edge = " " * (indent + 4)
        yield from textwrap.wrap(
            help_text.strip(), OF_HELPS, initial_indent=edge, subsequent_indent=edge
        )


def _command(text: str, indent: int) -> Iterator[str]:
    """Yield the lines of a command, cut at blanks outside quotes."""
    line = " " * indent
    for word in re.findall(r"(?:'[^']*'|[^\s'])+", text):
        if len(line) + len(word) + 3 > OF_HELPS and line.strip():
            yield f"{line} \\"
            line = " " * (indent + 4)
        line += word if not line.strip() else f" {word}"
    yield line
