"""Tables, paragraphs and help texts for a terminal of a given width."""

from __future__ import annotations

import os
import re
import sys
import textwrap

from harness.core import escape
from harness.core.table.table import SHORTEST, Table, arrange

WIDEST = 100
"""Largest width of tables and paragraphs, unless COLUMNS is set."""


def width() -> int:
    """Return the width of lines: COLUMNS if it is set, otherwise at most 100 and at most the
    terminal's width.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return min(os.get_terminal_size(sys.__stdout__.fileno()).columns, WIDEST)  # type: ignore[union-attr]
    except (AttributeError, OSError, ValueError):
        return WIDEST


def fit(table: Table) -> list[str]:
    """Return head, rule and rows no wider than ``width``.

    In a table that is wider, the longest cells are wrapped at words. If that is not enough, the
    columns stand in several parts, each with the columns that name a row.
    """
    longest, parts = arrange(table, table.widths(), width() - table.margin, SHORTEST)
    lines = [line for part in parts for line in ("", *table.take(part).lines(longest))]
    return lines[1:]


def shown_lines(table: Table) -> list[str]:
    """Return the title, the table, and its notes, with blank lines between them."""
    notes = " ".join([*table.notes, *table.source.notes])
    lines = [*paragraph(table.head), "", *fit(table), ""]
    return [*lines, *paragraph(notes), ""] if notes else lines


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


OF_HELPS = 80
"""The width of a help text."""


def fold(text: str) -> str:
    """Return a help text with paragraphs of at most 80 characters a line.

    An indented line is an example. It stays as it is; an explanation behind it stands on a line of
    its own if both do not fit on one.
    """

    def folded(block: str) -> str:
        if "\n " in f"\n{block}":
            return "\n".join(map(_example, block.split("\n")))
        words = " ".join(block.split())
        return textwrap.fill(words, OF_HELPS, break_long_words=False, break_on_hyphens=False)

    return "\n\n".join(map(folded, re.split(r"\n{2,}", text.strip("\n"))))


def entry(name: str, explanation: str, width: int) -> list[str]:
    """Return the lines of a list entry, ``  name   explanation``."""
    return textwrap.wrap(
        explanation,
        OF_HELPS,
        initial_indent=f"  {name:<{width}} ",
        subsequent_indent=" " * (width + 3),
    )


def _example(line: str) -> str:
    command, blanks, explanation = line.strip().partition("  ")
    if len(line) <= OF_HELPS or not blanks:
        return line
    edge = " " * 6
    return "\n".join(
        [
            f"  {command}",
            textwrap.fill(
                explanation.strip(), OF_HELPS, initial_indent=edge, subsequent_indent=edge
            ),
        ]
    )
