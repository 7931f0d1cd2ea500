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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, TypeVar

from harness.core import escape
from harness.core.table.format import PAIRS, Column, Field, is_missing, show, sort_key

UNITS = {"share": " (share)", "interval": " (share)", "points": " (share)", "span": " (share)"}
"""The unit of the numbers in CSV, by the kind of their column."""
WHOLE = 40
"""Characters of the longest word that is not broken."""
GAP = 2
"""Characters between two columns."""
SHORTEST = 12
"""Smallest number of characters of a line of a wrapped cell."""
T = TypeVar("T")


WINNER = "†"
"""The sign behind the name of a marked row."""


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


@dataclass(frozen=True, repr=False)
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
        marked: the winner's rows: ``>`` in a terminal, ``WINNER`` behind their name elsewhere.
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

    def cells(self) -> list[list[str]]:
        """Return every row as text."""
        return [
            [show(value, column.kind) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]

    def behind(self, column: Column, values: Sequence[Any]) -> Table:
        """Return the table behind a further first column with these values."""
        best = frozenset((row, place + 1) for row, place in self.style.best)
        marks = {(row, place + 1): mark for (row, place), mark in self.style.marks.items()}
        return replace(
            self,
            columns=[column, *self.columns],
            rows=[[value, *row] for value, row in zip(values, self.rows, strict=True)],
            style=replace(self.style, best=best, marks=marks),
        )

    def without(self, titles: Collection[str]) -> Table:
        """Return the table without these columns."""
        return self.take([n for n, title in enumerate(self.titles) if title not in titles])

    def take(self, places: Sequence[int] | None = None, rows: Sequence[int] | None = None) -> Table:
        """Return the table with some of its columns and rows, in the order given; None: all."""
        places = range(len(self.columns)) if places is None else places
        rows = range(len(self.rows)) if rows is None else rows
        style = self.style
        rules = frozenset(i for i, row in enumerate(rows) if row in style.rules)
        cells = {
            (row, place): (i, j) for i, row in enumerate(rows) for j, place in enumerate(places)
        }
        best = frozenset(cells[cell] for cell in style.best & cells.keys())
        marks = {cells[cell]: mark for cell, mark in style.marks.items() if cell in cells}
        return replace(
            self,
            columns=[self.columns[place] for place in places],
            rows=[[self.rows[row][place] for place in places] for row in rows],
            marked=frozenset(i for i, row in enumerate(rows) if row in self.marked),
            style=Style(best, marks, rules),
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
        """The other columns. A value and its intervals stay together."""
        units: list[list[int]] = []
        for place in range(len(self.keys), len(self.columns)):
            before = [self.columns[other].title for other in units[-1]] if units else []
            if self.columns[place].of in before:
                units[-1].append(place)
            else:
                units.append([place])
        return units

    @property
    def margin(self) -> int:
        """The characters before a row in a terminal."""
        return len("> ") if self.marked else 0

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        """Return the titles and the cells of a terminal."""
        titles = [escape.terminal(column.title.removesuffix(" %")) for column in self.columns]
        cells = [list(map(escape.terminal, row)) for row in self.cells()]
        for (row, place), mark in self.style.marks.items():
            cells[row][place] += mark
        return titles, cells

    def widths(self) -> list[tuple[int, int]]:
        """Return the characters of each column if every word stands on a line of its own, and if no
        cell is wrapped.
        """
        titles, cells = self._shown()
        return [bounds([title], texts) for title, *texts in zip(titles, *cells, strict=True)]

    def lines(self, longest: int | None = None) -> list[str]:
        """Return head, rule and rows for a terminal: numbers to the right, ``>`` at marked rows.

        Args:
            longest: characters of a cell; a longer one is wrapped. None: no cell is wrapped.
        """
        rows: list[Sequence[str]] = []
        marked: list[int] = []
        titles, shown = self._shown()
        for number, cells in enumerate(shown):
            marked += [len(rows)] if number in self.marked else []
            rows += zip_longest(*(_wrapped(cell, longest) for cell in cells), fillvalue="")
        forms = []
        for column, texts in zip(self.columns, zip(titles, *rows, strict=True), strict=True):
            side = "<" if column.kind == "text" else ">"
            forms.append(f"{{:{side}{max(map(len, texts))}}}")
        form, margin = (" " * GAP).join(forms), " " * self.margin
        head = margin + form.format(*titles)
        lines = [head, "-" * len(head)]
        for number, row in enumerate(rows):
            lines.append(("> " if number in marked else margin) + form.format(*row))
        return [line.rstrip() for line in lines]

    def text(self) -> str:
        """Return title, rows and notes."""
        notes = [escape.terminal(note) for note in (*self.notes, *self.source.notes)]
        notes = [note.replace(f"{WINNER}:", ">:") for note in notes]  # as lines() marks the row
        below = ["", *notes] if notes else []
        return "\n".join([escape.terminal(self.head), "", *self.lines(), *below])

    __str__ = __repr__ = text

    def csv(self) -> str:
        """Return the values in full precision, so shares and not percents; no cell is a formula.

        An interval is two columns, its lower and its upper end.
        """
        rows: list[list[Any]] = [[] for _ in range(len(self.rows) + 1)]
        for place, column in enumerate(self.columns):
            title = column.title.removesuffix(" %") + UNITS.get(column.kind, "")
            values = [title, *(row[place] for row in self.rows)]
            if column.kind not in PAIRS:
                values = [[value] for value in values]
            else:
                ends = [(None, None) if is_missing(value) else value for value in values[1:]]
                values = [[f"{title} low", f"{title} high"], *ends]
            for row, cells in zip(rows, values, strict=True):
                row += map(escape.spreadsheet, cells)
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows(rows)
        return stream.getvalue()

    def sign(self, row: int, place: int) -> str:
        """Return the raised sign behind a cell, or ""."""
        winner_sign = WINNER if row in self.marked and place == self.keys[-1] else ""
        return winner_sign + self.style.marks.get((row, place), "")

    def with_best(self, lowest: Collection[str] = (), besides: Collection[str] = ()) -> Table:
        """Return the table with the best value of each column of shares in bold.

        Args:
            lowest: titles of the columns whose lowest value is the best.
            besides: titles of the columns without a best value.
        """
        best = set(self.style.best)
        for place, column in enumerate(self.columns):
            values = [row[place] for row in self.rows if not is_missing(row[place])]
            if column.kind == "share" and len(values) > 1 and column.title not in besides:
                value = min(values) if column.title in lowest else max(values)
                best |= {(n, place) for n, row in enumerate(self.rows) if row[place] == value}
        return replace(self, style=replace(self.style, best=frozenset(best)))

    def markdown(self) -> str:
        """Return head and table in Markdown."""
        rows = [[escape.markdown(column.named) for column in self.columns]]
        rows.append(["---" if column.kind == "text" else "---:" for column in self.columns])
        for number, cells in enumerate(self.cells()):
            rows.append([])
            for place, cell in enumerate(cells):
                is_text = self.columns[place].kind == "text"
                text = escape.markdown(cell) if is_text else cell.replace("<", "&lt;")
                bold = "**" if text and (number, place) in self.style.best else ""
                mark = escape.markdown(self.sign(number, place))
                rows[-1].append(f"{bold}{text}{bold}{mark}")
        lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        notes = escape.markdown(" ".join([*self.notes, *self.source.notes]))
        head = f"**{escape.markdown(self.head)}**"
        return "\n\n".join(filter(None, [head, lines, notes])) + "\n"

    def html(self) -> str:
        """Return an element ``table``; a cell's ``data-key`` is the number that it sorts by."""
        heads = (
            f'<th class="{column.kind}">{escape.html(column.named)}</th>' for column in self.columns
        )
        lines = ["<table>", f"<thead><tr>{''.join(heads)}</tr></thead>", "<tbody>"]
        for number, (cells, values) in enumerate(zip(self.cells(), self.rows, strict=True)):
            line = '<tr class="winner">' if number in self.marked else "<tr>"
            for place, (text, value) in enumerate(zip(cells, values, strict=True)):
                kind, key = self.columns[place].kind, sort_key(value)
                shown = escape.html(text)
                if (number, place) in self.style.best:
                    shown = f"<b>{shown}</b>"
                if mark := self.sign(number, place):
                    shown += f"<sup>{escape.html(mark)}</sup>"
                sorts = "" if key is None or kind == "text" else f' data-key="{key}"'
                line += f'<td class="{kind}"{sorts}>{shown}</td>'
            lines.append(f"{line}</tr>")
        return "\n".join([*lines, "</tbody>", "</table>"])

    def _repr_html_(self) -> str:
        return f"<p>{escape.html(self.caption)}</p>\n{self.html()}"


def stack(parts: Mapping[str, Table], title: str) -> Table:
    """Return tables of the same columns below each other, with a rule between them.

    Args:
        parts: the tables by their names, which a first column holds.
        title: of that column.
    """
    with_title = [
        part.behind(Column(title, "text"), [name] * len(part.rows)) for name, part in parts.items()
    ]
    rows: list[Sequence[Any]] = []
    marked, rules, best = set[int](), set[int](), set[tuple[int, int]]()
    marks: dict[tuple[int, int], str] = {}
    for part in with_title:
        start, style = len(rows), part.style
        marked |= {start + row for row in part.marked}
        rules |= {start, *(start + row for row in style.rules)}
        best |= {(start + row, place) for row, place in style.best}
        marks |= {(start + row, place): mark for (row, place), mark in style.marks.items()}
        rows += part.rows
    return replace(
        with_title[0],
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


def bounds(head: Sequence[str], texts: Sequence[str]) -> tuple[int, int]:
    """Return the characters of a column if every word stands on a line of its own, and if no cell
    is wrapped; head: the lines of its title.
    """
    least = max(map(len, head))
    return max([least, *map(_longest_word, texts)]), max([least, *map(len, texts)])


def needed(widths: Sequence[tuple[int, int]], longest: int) -> int:
    """Return the characters of columns with these bounds whose cells have up to ``longest``."""
    return sum(min(most, max(least, longest)) + GAP for least, most in widths) - GAP


def arrange(
    table: Table, widths: Sequence[tuple[int, int]], room: int, usual: int
) -> tuple[int, list[list[int]]]:
    """Return the characters of the longest cell that is not wrapped, and the columns of each part.

    The longest cells are wrapped if the table then fits. Otherwise the columns stand in several
    parts, each with the columns that name a row.

    Args:
        table: the table.
        widths: the ``bounds`` of its columns.
        room: the characters of a line.
        usual: the characters of the longest cell in a table of several parts.
    """
    sizes = range(max(room, SHORTEST), SHORTEST - 1, -1)
    longest = next((size for size in sizes if needed(widths, size) <= room), usual)

    def fits(places: Sequence[int]) -> bool:
        return needed([widths[place] for place in places], longest) <= room

    return longest, parted(table.keys, table.units, fits)


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
    is_long = not _longest_word(cell)
    lines = textwrap.wrap(cell, longest, break_on_hyphens=False, break_long_words=is_long)
    return lines or [""]


def _longest_word(cell: str) -> int:
    """Return the characters of the longest word of a cell, or 0 if its words are broken."""
    longest = max(map(len, cell.split()), default=0)
    return longest if longest <= WHOLE else 0
