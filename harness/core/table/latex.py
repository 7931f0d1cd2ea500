"""Tables in LaTeX with booktabs: ``table`` or ``table*``, the title as caption and the notes below.

Widths are estimated from the letters, in points. If a table is too wide, its groups of columns are
put below each other, each with all rows. Without groups, the remaining columns continue below,
after the columns that name a row. If a table is too long for a page, its rows continue in a table
of the same number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from harness.core.escape import tex
from harness.core.table.table import Table, sentence
from harness.core.table.text_grid import parted, spans

BREAK = r"\\"
HEADS = r"\begin{tabular}[b]{@{}%s@{}}%s\end{tabular}"
r"""A head of two lines. ``\shortstack`` would align each by the height of its own letters."""
GAP = 6.0
"""Points between two columns, twice ``tabcolsep``."""
BOLD = 1.12
"""The width of bold letters relative to others."""
KEYS = 0.6
"""Largest share of the page's width for the columns that name a row."""
MOST = 12
"""Largest number of columns of a table. Further columns continue below."""
WIDEST = 0.4
"""Largest width of a text column, as a share of the page's width. Longer cells are wrapped."""
NARROWEST = 60
"""Smallest width, in points, of a text column that is wrapped so that the page holds all
columns.
"""
LETTERS = {**dict.fromkeys("iljtfI.,:;'|!()[]- /", 0.33), **dict.fromkeys("mwMW@%", 0.86)}
"""Widths of letters in em. Other capitals have .72, other letters and digits .52."""

NEEDS = "% Needs the packages array and booktabs.\n"
HEAD = r"""\begin{%s}[htbp]
%s\centering\footnotesize
\setlength{\belowcaptionskip}{6pt}
\setlength{\tabcolsep}{3pt}
\caption{%s}
"""
SAME_NUMBER = "\\addtocounter{table}{-1}\n"
PANEL = r"\panelbreak"
PANELS = rf"\providecommand{{{PANEL}}}{{\par\medskip}}"
"""The command between the parts of a table's columns. A document without floating tables may break
its pages there.
"""
NOTE = r"""\par\vspace{4pt}
\begin{minipage}{\linewidth}\scriptsize %s\end{minipage}
"""


@dataclass(frozen=True)
class Layout:
    """The page layout of a document.

    Attributes:
        column: the width of a column, in points.
        page: the width of the page, in points.
        letter: the font size of a table, in points, times the width of the font.
    """

    column: float = 219.0
    page: float = 460.0
    letter: float = 8.5


TWO_COLUMNS = Layout()
"""The narrowest common two-column article, that of ACL's venues."""


def table_text(text: str) -> str:
    """Return text in LaTeX, with minus signs before numbers."""
    return re.sub(r"(?<![\w.@/}-])-(?=[\d.])", r"\\ensuremath{-}", tex(text))


def em(text: str) -> float:
    """Return the approximate width of a line, in em."""
    return sum(LETTERS.get(letter, 0.72 if letter.isupper() else 0.52) for letter in text)


@dataclass(frozen=True)
class LatexTable:
    """The cells of a table in LaTeX, and the widths of its columns.

    Attributes:
        table: the table.
        layout: the page layout of the document.
        rename: changes the names in titles.
        rename_cell: changes whole cells.
        bands: names of groups of rows, by the first row of each.
    """

    table: Table
    layout: Layout
    rename: Callable[[str], str]
    rename_cell: Callable[[str], str]
    bands: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each column."""
        return [column.kind for column in self.table.columns]

    @cached_property
    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [
            [
                self.rename_cell(cell) if kind == "text" else cell
                for cell, kind in zip(row, self.kinds, strict=True)
            ]
            for row in self.table.cells()
        ]

    @cached_property
    def heads(self) -> list[list[str]]:
        """The lines of each head: two if that makes the column narrower."""
        found = []
        for place, column in enumerate(self.table.columns):
            words = self.rename(column.title).split(" ")
            body = self._longest(place)
            splits = [
                [" ".join(words[:cut]), " ".join(words[cut:])] for cut in range(1, len(words))
            ]
            best = min(splits, key=lambda lines: max(map(em, lines)), default=[])
            found.append(best if best and em(" ".join(words)) > body + 1 else [" ".join(words)])
        return found

    @cached_property
    def widths(self) -> list[float]:
        """The width of each column in points."""
        widest = WIDEST * self.layout.page
        found = []
        for place, kind in enumerate(self.kinds):
            body = self._longest(place) + 0.4 * len(self._longest_mark(place))
            width = self.layout.letter * max(body, *map(em, self.heads[place]))
            found.append(min(width, widest) if kind == "text" else width)
        for name, members in spans([column.group for column in self.table.columns]):
            lacking = (
                self.layout.letter * em(self.rename(name))
                + GAP
                - sum(found[place] + GAP for place in members)
            )
            for place in members:
                found[place] += max(lacking, 0) / len(members)
        texts = [place for place, kind in enumerate(self.kinds) if kind == "text"]
        longest = max(texts, key=lambda place: found[place], default=0)
        over = sum(found) + GAP * (len(found) - 1) - self.layout.page
        if texts and len(found) <= MOST and 0 < over <= found[longest] - NARROWEST:
            found[longest] -= over
        return found

    def width(self, places: Sequence[int]) -> float:
        """Return the width of some columns in points."""
        return sum(self.widths[place] + GAP for place in places) - GAP

    def panels(self) -> list[list[int]]:
        """Return the columns in parts that fit the page, each with the columns that name a row."""
        keys = [
            place
            for place in self.table.keys
            if self.width(range(place + 1)) <= KEYS * self.layout.page
        ] or [0]
        units = [*([place] for place in self.table.keys if place not in keys), *self.table.units]

        def fits(places: Sequence[int]) -> bool:
            return len(places) <= MOST and self.width(places) <= self.layout.page

        return parted(keys, units, fits)

    def tabular(self, places: Sequence[int], first: int, count: int) -> str:
        """Return some columns of some rows."""
        specs = "".join(self._spec(place) for place in places)
        lines = [f"\\begin{{tabular}}{{@{{}}{specs}@{{}}}}", "\\toprule", *self._groups(places)]
        lines += [" & ".join(self._head(place) for place in places) + " \\\\", "\\midrule"]
        for row in range(first, first + count):
            if row in self.table.style.rules and row > first:
                lines.append("\\midrule")
            if row in self.bands:
                name = table_text(self.rename(self.bands[row]))
                lines.append(rf"\multicolumn{{{len(places)}}}{{@{{}}l}}{{\emph{{{name}}}}} \\")
            lines.append(" & ".join(self._cell(row, place) for place in places) + " \\\\")
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}\n"])

    def _groups(self, places: Sequence[int]) -> list[str]:
        """Return the line of group names and the rules below them; empty without groups."""
        cells, rules, at = [], [], 1
        for name, members in spans([self.table.columns[place].group for place in places]):
            span = len(members)
            cells.append(
                f"\\multicolumn{{{span}}}{{{'c' if name else 'l'}}}{{{table_text(self.rename(name))}}}"  # noqa: E501
            )
            rules += [f"\\cmidrule(lr){{{at}-{at + span - 1}}}"] if name else []
            at += span
        return [" & ".join(cells) + " \\\\", "".join(rules)] if rules else []

    def _head(self, place: int) -> str:
        lines = [table_text(line) for line in self.heads[place]]
        side = "l" if self.kinds[place] == "text" else "r"
        return lines[0] if len(lines) == 1 else HEADS % (side, BREAK.join(lines))

    def _spec(self, place: int) -> str:
        """Return the column's type: broken lines for long text, numbers to the right."""
        if self.kinds[place] != "text":
            return "r"
        widest = self._longest(place) * self.layout.letter
        broken = rf">{{\raggedright\arraybackslash}}p{{{self.widths[place]:.0f}pt}}"
        return broken if widest > self.widths[place] else "l"

    def _longest(self, place: int) -> float:
        """Return the width in em of a column's widest cell."""
        bold, best = self.table.marked, self.table.style.best
        return max(
            (
                em(cells[place]) * (BOLD if row in bold or (row, place) in best else 1)
                for row, cells in enumerate(self.cells)
            ),
            default=0.0,
        )

    def _longest_mark(self, place: int) -> str:
        return max(
            (mark for (_, at), mark in self.table.style.marks.items() if at == place),
            key=len,
            default="",
        )

    def _cell(self, row: int, place: int) -> str:
        text, style = self.cells[row][place], self.table.style
        shown = table_text(text)
        if row in self.table.marked or (row, place) in style.best:
            shown = f"\\textbf{{{shown}}}"
        return shown + self._mark(row, place)

    def _mark(self, row: int, place: int) -> str:
        """Return the raised sign behind a number, as wide as the widest one of its column."""
        longest, mark = self._longest_mark(place), self.table.style.marks.get((row, place), "")
        if not longest:
            return ""
        shown = rf"\rlap{{\textsuperscript{{{tex(mark)}}}}}" if mark else ""
        return rf"{shown}\phantom{{\textsuperscript{{{tex(longest)}}}}}"


def typeset(
    table: Table,
    layout: Layout,
    label: str,
    rename: Callable[[str], str] = str,
    rename_cell: Callable[[str], str] = str,
) -> str:
    """Return the table in LaTeX, labelled ``tab:<label>``.

    Args:
        table: the table.
        layout: the page layout of the document.
        label: the label of the table.
        rename: changes names in titles and captions to those of a paper.
        rename_cell: changes whole cells.
    """
    bands: dict[int, str] = {}
    if table.banded:
        names = [str(row[0]) for row in table.rows]
        starts = (row for row in range(len(names)) if row == 0 or names[row - 1] != names[row])
        bands = {row: names[row] for row in starts}
        table = table.take(range(1, len(table.columns)))
    sheet = LatexTable(table, layout, rename, rename_cell, bands)
    panels = sheet.panels()
    wide = max(map(sheet.width, panels)) > layout.column
    environment = "table*" if wide else "table"
    said = table_text(rename(" ".join([*table.notes, *table.source.notes])))
    below, tables = NOTE % said if said else "", []
    for first, rows in table.pages(len(panels)):
        body = f"\n{PANEL}\n".join(sheet.tabular(panel, first, len(rows)) for panel in panels)
        if first:
            head = HEAD % (
                environment,
                SAME_NUMBER,
                table_text(f"{rename(table.title)}, continued."),
            )
            tables.append(f"{head}{body}\\end{{{environment}}}\n")
        else:
            head = HEAD % (environment, "", table_text(sentence(rename(table.head))))
            tables.append(f"{head}\\label{{tab:{label}}}\n{body}{below}\\end{{{environment}}}\n")
    return "".join([NEEDS, f"{PANELS}\n" if len(panels) > 1 else "", *tables])
