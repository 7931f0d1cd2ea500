"""A table as a value, with one way to each form: text for a terminal, CSV and HTML (LaTeX: ``typeset``).

>>> table = Table("scores", "Two lists, in percent", [Column("list", "text"), Column("last_hop@5 %")], [["dense", 0.5]])
>>> print(table)
Two lists, in percent
<BLANKLINE>
list   last_hop@5
-----------------
dense        50.0
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.core import escape
from harness.core.table.format import Kind, show, sort_key

LONGEST = 40
"""Rows of a table that fit on a page of the report."""
LINES = 56
"""Lines of a page that holds several parts of the columns, one below the other."""


@dataclass(frozen=True)
class Column:
    """A column: its title and how its values are shown."""

    title: str
    kind: Kind = "share"


@dataclass(frozen=True)
class Table:
    """Typed columns and rows of values.

    name: of its file and its label in LaTeX; letters, digits, ``_``, ``-``, and ``/`` between folders.
    title: one line. caption: what the numbers are, where the table stands alone. marked: the rows in bold, such as the
    winner's. commands: what reruns each row, a column of the HTML table. best: cells in bold, by row and column.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    caption: str = ""
    marked: frozenset[int] = frozenset()
    commands: Sequence[str] = field(default=())
    best: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self) -> None:
        escape.check_file_name("table", self.name)

    def cells(self) -> list[list[str]]:
        """Every row as text."""
        return [
            [show(value, column.kind) for value, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]

    def select(self, titles: Sequence[str]) -> Table:
        """The table with these columns alone, in this order."""
        places = [[column.title for column in self.columns].index(title) for title in titles]
        rows = [[row[place] for place in places] for row in self.rows]
        return replace(self, columns=[self.columns[place] for place in places], rows=rows)

    def lines(self, longest: int | None = None) -> list[str]:
        """Head (without percent signs), rule and rows for a terminal: numbers to the right, ``>`` before marked rows.

        longest: characters of a cell; of a longer one the middle is left out, or, where that would make different
        cells of a column look alike, the words that these have in common.
        """
        columns = [
            _shorten([escape.terminal(cell) for cell in column], longest) for column in zip(*self.cells(), strict=True)
        ]
        rows = [list(row) for row in zip(*columns, strict=True)]
        head = [escape.terminal(column.title.removesuffix(" %")) for column in self.columns]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        left = [column.kind == "text" for column in self.columns]
        margin = 2 if self.marked else 0
        rule = "-" * (margin + sum(widths) + 2 * len(widths) - 2)
        marks = [">" if number in self.marked else "" for number in range(len(rows))]
        head_line, *body = (
            f"{mark:<{margin}}{_line(row, widths, left)}" for mark, row in zip(["", *marks], [head, *rows], strict=True)
        )
        return [head_line, rule, *body]

    def text(self) -> str:
        """Title and rows for a terminal."""
        return "\n".join([escape.terminal(self.title), "", *self.lines()])

    __str__ = text

    def csv(self) -> str:
        """The values in full precision, so shares and no percents, a comma between cells; no cell is a formula."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        lines = [[column.title.removesuffix(" %") for column in self.columns], *self.rows]
        writer.writerows([list(map(escape.spreadsheet, line)) for line in lines])
        return stream.getvalue()

    def html(self) -> str:
        """An element ``table``; a cell's ``data-key`` is what it sorts by, where that is a number."""
        columns = [*self.columns, *([Column("rerun with", "text")] if self.commands else [])]
        head = "".join(f'<th class="{column.kind}">{escape.html(column.title)}</th>' for column in columns)
        lines = ["<table>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
        for number, (cells, values) in enumerate(zip(self.cells(), self.rows, strict=True)):
            bold = [(number, place) in self.best for place in range(len(cells))]
            row = [_cell(*cell) for cell in zip(cells, values, self.columns, bold, strict=True)]
            if self.commands:
                row.append(f'<td class="text"><code>{escape.html(self.commands[number])}</code></td>')
            opening = '<tr class="winner">' if number in self.marked else "<tr>"
            lines.append(f"{opening}{''.join(row)}</tr>")
        return "\n".join([*lines, "</tbody>", "</table>"])

    def _repr_html_(self) -> str:
        return f"<p>{escape.html(self.title)}</p>\n{self.html()}"

    def pages(self, panels: int = 1, lines: float = 1) -> Iterator[tuple[int, list[list[str]]]]:
        """Parts of equal length that a page holds, at least one: the number of its first row, and its rows as text.

        panels: how often the rows stand on the page, one part of the columns below the other.    lines: of a row.
        """
        rows = self.cells()
        longest = LONGEST if panels == 1 else LINES // panels - 4
        count = max(1, -(-len(rows) // max(1, int(longest / lines))))
        length = max(1, -(-len(rows) // count))
        for first in range(0, max(1, len(rows)), length):
            yield first, rows[first : first + length]


def _line(cells: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    padded = (
        cell.ljust(width) if to_left else cell.rjust(width)
        for cell, width, to_left in zip(cells, widths, left, strict=True)
    )
    return "  ".join(padded).rstrip()


def _shorten(texts: Sequence[str], longest: int | None) -> list[str]:
    found = [_cut(text, longest) for text in texts]
    for short in {short for short in found if found.count(short) > 1}:
        alike = [number for number, other in enumerate(found) if other == short]
        shared = set.intersection(*(set(texts[number].split()) for number in alike))
        if len({texts[number] for number in alike}) > 1:
            for number in alike:
                first, *rest = texts[number].split()
                found[number] = " ".join([first, "…", *(word for word in rest if word not in shared)])
    return found


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    end = min(13, (longest - 1) // 2)
    return f"{text[: longest - 1 - end]}…{text[-end:]}"


def _cell(text: str, value: Any, column: Column, bold: bool) -> str:
    key = sort_key(value)
    shown = f"<b>{escape.html(text)}</b>" if bold else escape.html(text)
    sorts = "" if key is None or column.kind == "text" else f' data-key="{key}"'
    return f'<td class="{column.kind}"{sorts}>{shown}</td>'
