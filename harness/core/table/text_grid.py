"""Columns of text, aligned for a terminal or divided into parts that fit a page."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, zip_longest

Spans = Sequence[tuple[str, Sequence[int]]]
"""Groups of columns: the name of each, and its places."""


WHOLE = 40
"""Characters of the longest word that is not broken."""


def _wrapped(cell: str, longest: int) -> list[str]:
    """Return the lines of a cell."""
    is_long = any(len(word) > WHOLE for word in cell.split())
    lines = textwrap.wrap(cell, longest, break_on_hyphens=False, break_long_words=is_long)
    return lines or [""]


@dataclass(frozen=True)
class TextGrid:
    """Rows of text below a head.

    Attributes:
        head: the titles.
        groups: names above neighbouring columns.
        left: for each column, whether it is aligned to the left.
        rows: the cells.
        marks: the text in front of each row.
    """

    head: Sequence[str]
    groups: Spans
    left: Sequence[bool]
    rows: Sequence[Sequence[str]]
    marks: Sequence[str]

    def lines(self) -> list[str]:
        """Return the names of groups, the head, a rule, and the rows."""
        margin = 2 if any(self.marks) else 0
        head, *rows = (
            f"{mark:<{margin}}{self._line(row)}"
            for mark, row in zip(["", *self.marks], [self.head, *self.rows], strict=True)
        )
        names = "  ".join(name.ljust(self._width(places)) for name, places in self.groups)
        above = [f"{'':<{margin}}{names}".rstrip()] if names.strip() else []
        return [*above, head, "-" * (margin + self._width(range(len(self.head)))), *rows]

    def wrapped(self, longest: int) -> TextGrid:
        """Return the grid with long cells wrapped at blanks, so that names can be copied.

        Only the first line of a row keeps its mark.
        """
        rows: list[Sequence[str]] = []
        marks: list[str] = []
        for row, mark in zip(self.rows, self.marks, strict=True):
            cells = [_wrapped(cell, longest) for cell in row]
            own = list(zip_longest(*cells, fillvalue=""))
            rows += own
            marks += [mark, *[""] * (len(own) - 1)]
        return replace(self, rows=rows, marks=marks)

    @cached_property
    def _widths(self) -> list[int]:
        """The width of each column, so that its cells and the group names fit."""
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        for name, places in self.groups:
            lacking = len(name) - sum(widths[place] for place in places) - 2 * len(places) + 2
            widths[places[-1]] += max(0, lacking)
        return widths

    def _width(self, places: Sequence[int]) -> int:
        """Return the width of neighbouring columns, with two blanks between them."""
        return sum(self._widths[place] for place in places) + 2 * len(places) - 2

    def _line(self, cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(cells, self._widths, self.left, strict=True)
        )
        return "  ".join(padded).rstrip()


def spans(groups: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return neighbouring columns of one group, with its name."""
    return [
        (name, list(own))
        for name, own in groupby(range(len(groups)), key=lambda place: groups[place])
    ]


def parted(
    keys: Sequence[int], units: Sequence[Sequence[int]], fits: Callable[[Sequence[int]], bool]
) -> list[list[int]]:
    """Return the columns in parts that fit, each beginning with the keys.

    A unit that fits nowhere is divided.
    """
    parts = [list(keys)]
    for unit in units:
        for piece in [unit] if fits([*keys, *unit]) else [[place] for place in unit]:
            if not fits([*parts[-1], *piece]) and len(parts[-1]) > len(keys):
                parts.append(list(keys))
            parts[-1] += piece
    return parts
