"""A terminal: how wide it is, a table that fits into it, and paragraphs."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence

from harness.core import escape
from harness.core.table.table import Table

PROSE = 110
"""Columns of a paragraph, at most."""
SHORTEST = 16
"""Characters of a cell that is cut, at least."""


def columns() -> int | None:
    """The columns of the terminal: COLUMNS where it is set; None where standard output is a file or a pipe."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else None
    except (OSError, ValueError):
        return None


def fit(table: Table) -> list[str]:
    """Head, rule and rows no wider than the terminal: cells of text are cut in their middle, as far as that takes.

    What is wider even so stands in parts, one below the other, each with the columns of text in front. In a file
    nothing is cut.
    """
    width = columns()
    found = table.lines()
    if width is None or _fits(found, width):
        return found
    widest = max((len(cell) for row in table.cells() for cell in row), default=SHORTEST)
    for longest in range(widest, SHORTEST - 1, -1):
        if _fits(found := table.lines(longest), width):
            return found
    parts = _parts(table, width)
    return [line for part in parts for line in ([""] if part is not parts[0] else []) + part.lines(SHORTEST)]


def paragraph(text: str) -> list[str]:
    """The lines of a paragraph; those after the first are indented."""
    width = min(columns() or PROSE, PROSE)
    shown = escape.terminal(text)
    return textwrap.wrap(shown, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _fits(lines: Sequence[str], width: int) -> bool:
    return max(map(len, lines)) <= width


def _parts(table: Table, width: int) -> list[Table]:
    """The columns in parts, as many in each as fit."""
    titles = [column.title for column in table.columns]
    keys = [column.title for column in table.columns if column.kind == "text"] or titles[:1]
    parts = [keys]
    for title in (title for title in titles if title not in keys):
        if not _fits(table.select([*parts[-1], title]).lines(SHORTEST), width) and parts[-1] != keys:
            parts.append(keys)
        parts[-1] = [*parts[-1], title]
    return [table.select(part) for part in parts]
