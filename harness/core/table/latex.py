"""Tables in LaTeX with booktabs: ``table`` or ``table*``, the title as caption and the notes below.

Columns are laid out by their characters, as in a terminal. TeX breaks the lines of long texts
(tabularx). If a table is still too wide, its columns continue below, after the columns that name a
row. If it is too long for a page, its rows continue in a table of the same number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from harness.core.escape import tex
from harness.core.table.table import Table, arrange, bounds, needed, sentence

BREAK = r"\\"
HEADS = r"\begin{tabular}[b]{@{}%s@{}}%s\end{tabular}"
r"""A head of two lines. ``\shortstack`` would align each by the height of its own letters."""
NAMES = 40
"""Characters for the texts that name a row, in a table of several parts."""
WRAPPED = r">{\raggedright\arraybackslash}X"
"""The type of a column of long texts."""

NEEDS = "% Needs the packages booktabs and tabularx.\n"
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


COLUMN, PAGE = 51, 108
"""The digits that fill a column and the page in a table's font. They are those of the narrowest
common two-column article, that of ACL's venues (219 and 460 points).
"""
LONGEST, LINES = 40, 56
"""Number of rows of a table that fit on a page, and of lines if it has several parts of columns."""


def table_text(text: object) -> str:
    """Return text in LaTeX, with minus signs before numbers."""
    return re.sub(r"(?<![\w.@/}-])-(?=[\d.])", r"\\ensuremath{-}", tex(text))


@dataclass(frozen=True)
class LatexTable:
    """The columns of a table in LaTeX.

    Attributes:
        table: the table, with the names that it shows.
        bands: the name of the group of each row, if there are groups.
    """

    table: Table
    bands: Sequence[str] = ()

    @cached_property
    def cells(self) -> list[list[str]]:
        """The texts of each row."""
        return self.table.cells()

    @cached_property
    def heads(self) -> list[list[str]]:
        """The lines of each head."""
        return [_head(*texts) for texts in zip(self.table.titles, *self.cells, strict=True)]

    @cached_property
    def marks(self) -> list[str]:
        """The longest raised sign of each column."""
        rows = range(len(self.cells))
        return [
            max((self.table.sign(row, place) for row in rows), key=len, default="")
            for place in range(len(self.table.columns))
        ]

    @cached_property
    def widths(self) -> list[tuple[int, int]]:
        """The characters of each column as ``bounds`` has them; numbers are not wrapped."""
        widths = []
        for place, (head, *texts) in enumerate(zip(self.heads, *self.cells, strict=True)):
            least, most = bounds(head, texts)
            most += len(self.marks[place])
            widths.append((least if self._is_text(place) else most, most))
        return widths

    @cached_property
    def layout(self) -> tuple[int, list[list[int]]]:
        """The characters of the longest cell that is not wrapped, and the parts of the columns."""
        names = sum(map(self._is_text, self.table.keys)) or 1
        return arrange(self.table, self.widths, PAGE, NAMES // names)

    def width(self, places: Sequence[int]) -> int:
        """Return the characters of some columns if no cell is wrapped."""
        return needed([self.widths[place] for place in places], PAGE)

    def tabular(self, places: Sequence[int], rows: Sequence[int]) -> str:
        """Return some columns of some rows."""
        longest = self.layout[0] if self.width(places) > PAGE else PAGE
        specs = "".join(self._spec(place, longest) for place in places)
        kind, width = ("tabularx", r"{\linewidth}") if WRAPPED in specs else ("tabular", "")
        lines = [f"\\begin{{{kind}}}{width}{{@{{}}{specs}@{{}}}}", "\\toprule"]
        lines += [" & ".join(map(self._title, places)) + " \\\\", "\\midrule"]
        for row in rows:
            if row in self.table.style.rules and row > rows[0]:
                lines.append("\\midrule")
            if self.bands and (row == 0 or self.bands[row] != self.bands[row - 1]):
                name = self.bands[row]
                lines.append(rf"\multicolumn{{{len(places)}}}{{@{{}}l}}{{\emph{{{name}}}}} \\")
            lines.append(" & ".join(self._cell(row, place) for place in places) + " \\\\")
        return "\n".join([*lines, "\\bottomrule", f"\\end{{{kind}}}\n"])

    def _spec(self, place: int, longest: int) -> str:
        """Return the type of a column: broken lines for long texts, numbers to the right."""
        if not self._is_text(place):
            return "r"
        return WRAPPED if self.widths[place][1] > longest else "l"

    def _is_text(self, place: int) -> bool:
        return self.table.columns[place].kind == "text"

    def _title(self, place: int) -> str:
        """Return a head."""
        lines = [table_text(line) for line in self.heads[place]]
        side = "l" if self._is_text(place) else "r"
        return lines[0] if len(lines) == 1 else HEADS % (side, BREAK.join(lines))

    def _cell(self, row: int, place: int) -> str:
        """Return a cell, and the raised sign behind it, as wide as the widest one of its column."""
        text, longest = table_text(self.cells[row][place]), tex(self.marks[place])
        shown = f"\\textbf{{{text}}}" if (row, place) in self.table.style.best else text
        if mark := self.table.sign(row, place):
            shown += rf"\rlap{{\textsuperscript{{{tex(mark)}}}}}"
        return shown + (rf"\phantom{{\textsuperscript{{{longest}}}}}" if longest else "")


def _head(title: str, *cells: str) -> list[str]:
    """Return the lines of the head over some cells: two if that makes the column narrower."""
    words = title.split(" ")
    if len(words) == 1 or len(title) <= max(map(len, cells), default=0) + 1:
        return [title]
    splits = [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]
    return min(splits, key=lambda lines: max(map(len, lines)))


def _renamed(
    table: Table, rename: Callable[[str], str], rename_cell: Callable[[str], str]
) -> Table:
    """Return the table with other names in titles and cells of text."""
    rows = [
        [
            rename_cell(cell) if column.kind == "text" else value
            for cell, value, column in zip(*row, table.columns, strict=True)
        ]
        for row in zip(table.cells(), table.rows, strict=True)
    ]
    columns = [
        replace(column, title=rename(column.title), of=rename(column.of))
        for column in table.columns
    ]
    return replace(table, columns=columns, rows=rows)


def typeset(
    table: Table,
    label: str,
    rename: Callable[[str], str] = str,
    rename_cell: Callable[[str], str] = str,
) -> str:
    """Return the table in LaTeX, labelled ``tab:<label>``.

    Args:
        table: the table.
        label: the label of the table.
        rename: changes names in titles and captions to those of a paper.
        rename_cell: changes whole cells.
    """
    bands: list[str] = []
    if table.banded:
        bands = [table_text(rename(str(row[0]))) for row in table.rows]
        table = table.take(range(1, len(table.columns)))
    sheet = LatexTable(_renamed(table, rename, rename_cell), bands)
    panels = sheet.layout[1]
    environment = "table*" if max(map(sheet.width, panels)) > COLUMN else "table"
    notes = table_text(rename(" ".join([*table.notes, *table.source.notes])))
    longest = LONGEST if len(panels) == 1 else max(1, LINES // len(panels) - 4)
    count = max(1, -(-len(table.rows) // longest))
    length = max(1, -(-len(table.rows) // count))
    text = NEEDS + (f"{PANELS}\n" if len(panels) > 1 else "")
    for first in range(0, max(1, len(table.rows)), length):
        rows = range(first, min(first + length, len(table.rows)))
        body = f"\n{PANEL}\n".join(sheet.tabular(panel, rows) for panel in panels)
        caption = table_text(sentence(rename(table.head)))
        if first:
            caption = table_text(f"{rename(table.title)}, continued.")
            body = f"{HEAD % (environment, SAME_NUMBER, caption)}{body}"
        else:
            head = HEAD % (environment, "", caption)
            body = f"{head}\\label{{tab:{label}}}\n{body}{NOTE % notes if notes else ''}"
        text += f"{body}\\end{{{environment}}}\n"
    return text
