"""A table as a value, with one function for each form: terminal text, CSV, HTML and Markdown.

LaTeX is made by ``typeset``.

>>> columns = [Column("list", "text"), Column("last_hop@5 %")]
>>> table = Table("scores", "Two lists, in percent", columns, [["dense", 0.5]])
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
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, zip_longest
from typing import Any, TypeVar

from harness.core import escape
from harness.core.table.format import PAIRS, Column, Field, is_missing, show, sort_key

UNITS = {"share": " (share)", "interval": " (share)", "points": " (share)", "span": " (share)"}
"""The unit of the numbers in CSV, by the kind of their column."""
WHOLE = 40
"""Characters of the longest word that is not broken."""
T = TypeVar("T")


@dataclass(frozen=True)
class Source:
    """The origin of the numbers of a table.

    Attributes:
        extent: benchmark, split, number of questions, depth, systems; part of a caption.
        notes: sentences that every table of the same source has.
    """

    extent: str = ""
    notes: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The source as sentences."""
        return " ".join([sentence(self.extent), *self.notes])


@dataclass(frozen=True)
class Style:
    """The format of cells, by row and column.

    Attributes:
        best: the cells in bold.
        marks: raised signs after numbers.
        rules: rows with a rule above.
    """

    best: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    rules: frozenset[int] = frozenset()

    def moved(self, rows: Mapping[int, int], places: Mapping[int, int]) -> Style:
        """Return the format of the rows and columns that get new numbers; others are left out."""
        cells = {(row, place): (rows[row], places[place]) for row in rows for place in places}
        return Style(
            frozenset(cells[cell] for cell in self.best & cells.keys()),
            {cells[cell]: mark for cell, mark in self.marks.items() if cell in cells},
            frozenset(rows[row] for row in self.rules & rows.keys()),
        )


@dataclass(frozen=True)
class Table:
    """Typed columns and rows of values.

    Attributes:
        name: the file name and the label in LaTeX: letters, digits, ``_``, ``-``, and ``/`` between
            folders.
        title: one line, without a full stop.
        columns: the descriptions of the columns.
        rows: the values of each row.
        source: the origin of the numbers.
        notes: sentences about this table alone.
        marked: the rows in bold, such as the winner's.
        banded: whether the first column names groups of rows. In LaTeX each name is a line above
            its rows.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    source: Source = Source()
    notes: Sequence[str] = ()
    marked: frozenset[int] = frozenset()
    style: Style = Style()
    banded: bool = False

    def __post_init__(self) -> None:
        escape.check_file_name("table", self.name)

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        fields: Sequence[Field[T]],
        items: Iterable[T],
        *rest: Any,
        **more: Any,
    ) -> Table:
        """Return the table of some items, a row each.

        Args:
            name: of the table.
            title: of the table.
            fields: its columns.
            items: its rows.
            *rest: further fields of the table.
            **more: further fields of the table, by name.
        """
        chosen = [field for field in fields if field.shown]
        rows = [[field.read(item) for field in chosen] for item in items]
        return cls(name, title, [field.column for field in chosen], rows, *rest, **more)

    @property
    def titles(self) -> list[str]:
        """The titles of the columns."""
        return [column.title for column in self.columns]

    @property
    def head(self) -> str:
        """The title and the source."""
        return headed(self.title, self.source.extent)

    @property
    def caption(self) -> str:
        """Title, source and notes as sentences, for a table that is shown alone."""
        return " ".join([sentence(self.head), *self.notes, *self.source.notes])

    def named(self, name: str) -> Table:
        """Return the table under another name."""
        return replace(self, name=name)

    def cells(self) -> list[list[str]]:
        """Return every row as text."""
        return [
            [show(value, column.kind) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    def without(self, titles: Iterable[str]) -> Table:
        """Return the table without these columns."""
        left_out = set(titles)
        return self.take(
            [place for place, title in enumerate(self.titles) if title not in left_out]
        )

    def take(self, places: Sequence[int] | None = None, rows: Sequence[int] | None = None) -> Table:
        """Return the table with some of its columns and rows, in the order given; None: all."""
        places = range(len(self.columns)) if places is None else places
        rows = range(len(self.rows)) if rows is None else rows
        row_of = {old: new for new, old in enumerate(rows)}
        values = [self.rows[row] for row in rows]
        return replace(
            self,
            columns=[self.columns[place] for place in places],
            rows=[[row[place] for place in places] for row in values],
            marked=frozenset(row_of[row] for row in self.marked & row_of.keys()),
            style=self.style.moved(row_of, {old: new for new, old in enumerate(places)}),
        )

    @cached_property
    def keys(self) -> list[int]:
        """The columns that name a row: the first text columns, and any column before them."""
        kinds = [column.kind == "text" for column in self.columns]
        end = kinds.index(True) if True in kinds[:2] else 0
        while end < len(kinds) and kinds[end]:
            end += 1
        return list(range(end)) or [0]

    @cached_property
    def units(self) -> list[list[int]]:
        """The other columns. A group, or a value and its intervals, stay together."""
        units: list[list[int]] = []
        for place in range(len(self.keys), len(self.columns)):
            column = self.columns[place]
            before = [self.columns[other] for other in units[-1]] if units else []
            same = before and column.group and column.group == before[-1].group
            if same or column.of in [other.title for other in before]:
                units[-1].append(place)
            else:
                units.append([place])
        return units

    def lines(self, longest: int | None = None) -> list[str]:
        """Return head, rule and rows for a terminal: numbers to the right, ``>`` at marked rows.

        Args:
            longest: characters of a cell; a longer one is wrapped. None: no cell is wrapped.
        """
        rows: list[Sequence[str]] = []
        marked: list[int] = []
        for number, cells in enumerate(self.cells()):
            marked += [len(rows)] if number in self.marked else []
            wrapped = [
                _wrapped(escape.terminal(cell) + self.style.marks.get((number, place), ""), longest)
                for place, cell in enumerate(cells)
            ]
            rows += zip_longest(*wrapped, fillvalue="")
        titles = [escape.terminal(column.title.removesuffix(" %")) for column in self.columns]
        widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
        above = self._group_names(widths)
        margin = "  " if marked else ""
        aligned = zip(self.columns, widths, strict=True)
        form = "  ".join(
            f"{{:{'<' if column.kind == 'text' else '>'}{width}}}" for column, width in aligned
        )
        head = margin + form.format(*titles)
        lines = ["-" * len(head)]
        for number, row in enumerate(rows):
            lines.append(("> " if number in marked else margin) + form.format(*row))
        lines = [margin + above] * bool(above) + [head, *lines]
        return [line.rstrip() for line in lines]

    def _group_names(self, widths: list[int]) -> str:
        """Return the line of group names, and widen columns that are narrower than their group's.

        Args:
            widths: the width of each column, changed here.
        """
        names = []
        for name, places in spans([escape.terminal(column.group) for column in self.columns]):
            width = sum(widths[place] + 2 for place in places) - 2
            widths[places[-1]] += max(0, len(name) - width)
            names.append(name.ljust(width))
        return "  ".join(names).rstrip()

    def text(self) -> str:
        """Return title, rows and notes."""
        notes = [escape.terminal(note) for note in (*self.notes, *self.source.notes)]
        return "\n".join(
            [escape.terminal(self.head), "", *self.lines(), *([""] if notes else []), *notes]
        )

    __str__ = text

    def csv(self) -> str:
        """Return the values in full precision, so shares and not percents; no cell is a formula.

        An interval is two columns, its lower and its upper end.
        """
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        head: list[str] = []
        for column in self.columns:
            title = " ".join(filter(None, [column.group, column.title.removesuffix(" %")]))
            title += UNITS.get(column.kind, "")
            head += [f"{title} low", f"{title} high"] if column.kind in PAIRS else [title]
        writer.writerow(map(escape.spreadsheet, head))
        for row in self.rows:
            cells: list[Any] = []
            for value, column in zip(row, self.columns, strict=True):
                if column.kind in PAIRS:
                    cells += (None, None) if is_missing(value) else value
                else:
                    cells.append(value)
            writer.writerow(map(escape.spreadsheet, cells))
        return stream.getvalue()

    def markdown(self) -> str:
        """Return head and table in Markdown; marked rows are bold."""
        titles = [" ".join(filter(None, [column.group, column.named])) for column in self.columns]
        lines = [_pipes(map(escape.markdown, titles))]
        lines.append(_pipes("---" if column.kind == "text" else "---:" for column in self.columns))
        for number, row in enumerate(self.cells()):
            cells = []
            for place, cell in enumerate(row):
                plain = cell.replace("<", "&lt;")
                text = escape.markdown(cell) if self.columns[place].kind == "text" else plain
                mark = escape.markdown(self.style.marks.get((number, place), ""))
                bold = text and (number in self.marked or (number, place) in self.style.best)
                cells.append(f"{f'**{text}**' if bold else text}{mark}")
            lines.append(_pipes(cells))
        notes = [escape.markdown(" ".join([*self.notes, *self.source.notes]))]
        return (
            "\n\n".join(
                [f"**{escape.markdown(self.head)}**", "\n".join(lines), *filter(None, notes)]
            )
            + "\n"
        )

    def html(self) -> str:
        """Return an element ``table``; a cell's ``data-key`` is the number that it sorts by."""
        lines = ["<table>", _head(self.columns), "<tbody>"]
        for number, (cells, values) in enumerate(zip(self.cells(), self.rows, strict=True)):
            row = [
                _cell(
                    *cell,
                    (number, place) in self.style.best,
                    self.style.marks.get((number, place), ""),
                )
                for place, cell in enumerate(zip(cells, values, self.columns, strict=True))
            ]
            opening = '<tr class="winner">' if number in self.marked else "<tr>"
            lines.append(f"{opening}{''.join(row)}</tr>")
        return "\n".join([*lines, "</tbody>", "</table>"])

    def _repr_html_(self) -> str:
        return f"<p>{escape.html(self.caption)}</p>\n{self.html()}"


def stack(parts: Mapping[str, Table], title: str) -> Table:
    """Return tables of the same columns below each other, with a rule between them.

    Args:
        parts: the tables by their names, which a first column holds.
        title: of that column.
    """
    first = next(iter(parts.values()))
    rows: list[Sequence[Any]] = []
    marked: set[int] = set()
    best: set[tuple[int, int]] = set()
    marks: dict[tuple[int, int], str] = {}
    rules: set[int] = set()
    for name, part in parts.items():
        row_of = {row: len(rows) + row for row in range(len(part.rows))}
        style = part.style.moved(row_of, {at: at + 1 for at in range(len(part.columns))})
        best |= style.best
        marks |= style.marks
        rules |= {len(rows), *style.rules}
        marked |= {row_of[row] for row in part.marked}
        rows += [[name, *row] for row in part.rows]
    return replace(
        first,
        columns=[Column(title, "text"), *first.columns],
        rows=rows,
        marked=frozenset(marked),
        style=Style(frozenset(best), marks, frozenset(rules - {0})),
    )


def sentence(text: str) -> str:
    """Return a title with its full stop."""
    return text if text[-1:] in ".?!" else f"{text}."


def headed(title: str, of: str) -> str:
    """Return a title and its source, ``Which knob matters: sample``; a question keeps its mark."""
    if not (title and of):
        return title or of
    return f"{title} {of}" if title.endswith("?") else f"{title}: {of}"


def _head(columns: Sequence[Column]) -> str:
    """Return the element ``thead``: the titles, and the groups if there are any."""
    titles = "".join(
        f'<th class="{column.kind}">{escape.html(column.named)}</th>' for column in columns
    )
    over = spans([column.group for column in columns])
    above = "".join(
        f'<th colspan="{len(places)}">{escape.html(name)}</th>' for name, places in over
    )
    groups = f"<tr>{above}</tr>" if any(name for name, _ in over) else ""
    return f"<thead>{groups}<tr>{titles}</tr></thead>"


def _cell(text: str, value: Any, column: Column, bold: bool, mark: str) -> str:
    key = sort_key(value)
    shown = f"<b>{escape.html(text)}</b>" if bold else escape.html(text)
    sorts = "" if key is None or column.kind == "text" else f' data-key="{key}"'
    raised = f"<sup>{escape.html(mark)}</sup>" if mark else ""
    return f'<td class="{column.kind}"{sorts}>{shown}{raised}</td>'


def spans(groups: Sequence[str]) -> list[tuple[str, list[int]]]:
    """Return neighbouring columns of one group, with its name."""
    places = groupby(range(len(groups)), key=groups.__getitem__)
    return [(name, list(own)) for name, own in places]


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


def _wrapped(cell: str, longest: int | None) -> list[str]:
    """Return the lines of a cell. Words of up to ``WHOLE`` letters stay whole, to be copied."""
    if longest is None:
        return [cell]
    is_long = any(len(word) > WHOLE for word in cell.split())
    lines = textwrap.wrap(cell, longest, break_on_hyphens=False, break_long_words=is_long)
    return lines or [""]


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
