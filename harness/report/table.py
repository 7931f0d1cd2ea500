"""A table before it is LaTeX, HTML or text: typed columns, rows of values, a caption that can stand alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.report.text import Kind, number, shown

LONGEST = 40
"""Rows of a table that fit on a page of the report."""


@dataclass(frozen=True)
class Column:
    """A column: its title and how its values are shown."""

    title: str
    kind: Kind = "share"


@dataclass(frozen=True)
class Table:
    """``name`` names its file and its label. ``marked`` rows (the winner) are bold; ``commands`` rerun each row."""

    name: str
    title: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    marked: frozenset[int] = frozenset()
    commands: Sequence[str] = field(default=())

    def cells(self) -> list[list[str]]:
        """Every row as text."""
        return [
            [shown(value, column.kind) for value, column in zip(row, self.columns, strict=True)] for row in self.rows
        ]

    def pages(self) -> list[list[tuple[int, list[str]]]]:
        """The rows as text, each with its place, in parts of equal length that a page holds; one part at least."""
        rows = list(enumerate(self.cells()))
        count = max(1, -(-len(rows) // LONGEST))
        length = max(1, -(-len(rows) // count))
        return [rows[first : first + length] for first in range(0, len(rows), length)] or [[]]

    def keys(self) -> list[list[float | None]]:
        """What every cell sorts by; None where its text does."""
        return [[number(value) for value in row] for row in self.rows]
