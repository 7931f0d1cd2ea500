"""Tables in LaTeX with booktabs: ``table`` or ``table*``, the title as caption and the notes below.

Widths are estimated from the letters, in points. If a table is too wide, its columns continue
below, after the columns that name a row. If a table is too long for a page, its rows continue in
a table of the same number.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.core.escape import tex
from harness.core.table.table import Table, parted, sentence

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


COLUMN, PAGE, LETTER = 219.0, 460.0, 8.5
"""The widths of a column and of the page, and the font size of a table times the width of the font,
in points. They are those of the narrowest common two-column article, that of ACL's venues.
"""
LONGEST, LINES = 40, 56
"""Number of rows of a table that fit on a page, and of lines if it has several parts of columns."""


def table_text(text: object) -> str:
    """Return text in LaTeX, with minus signs before numbers."""
    return re.sub(r"(?<![\w.@/}-])-(?=[\d.])", r"\\ensuremath{-}", tex(text))


def em(text: str) -> float:
    """Return the approximate width of a line, in em."""
    return sum(LETTERS.get(letter, 0.72 if letter.isupper() else 0.52) for letter in text)


@dataclass
class TexColumn:
    """A column in LaTeX.

    Attributes:
        is_text: whether it has text, which may be wrapped.
        cells: its cells.
        head: the lines of its head.
        mark: its longest raised sign.
        body: the width of its widest cell in points.
        width: its width in points.
    """

    is_text: bool
    cells: list[str]
    head: list[str]
    mark: str
    body: float
    width: float

    @property
    def spec(self) -> str:
        """The type of the column: broken lines for long text, numbers to the right."""
        if not self.is_text:
            return "r"
        is_long = self.body > self.width
        return rf">{{\raggedright\arraybackslash}}p{{{self.width:.0f}pt}}" if is_long else "l"

    @property
    def title(self) -> str:
        """The head."""
        lines = [table_text(line) for line in self.head]
        side = "l" if self.is_text else "r"
        return lines[0] if len(lines) == 1 else HEADS % (side, BREAK.join(lines))


class LatexTable:
    """The columns of a table in LaTeX.

    Args:
        table: the table.
        rename: changes the names in titles.
        rename_cell: changes whole cells.
        bands: the name of the group of each row, if there are groups.
    """

    def __init__(
        self,
        table: Table,
        rename: Callable[[str], str] = str,
        rename_cell: Callable[[str], str] = str,
        bands: Sequence[str] = (),
    ) -> None:
        self.table, self.bands = table, [table_text(rename(name)) for name in bands]
        cells = table.cells()
        self.columns: list[TexColumn] = []
        for place, column in enumerate(table.columns):
            texts, is_text = [row[place] for row in cells], column.kind == "text"
            texts = [rename_cell(cell) for cell in texts] if is_text else texts
            bold = [BOLD if (row, place) in table.style.best else 1 for row in range(len(texts))]
            body = LETTER * max(map(operator.mul, map(em, texts), bold), default=0.0)
            marks = [table.sign(row, place) for row in range(len(texts))]
            mark, head = max(marks, key=len, default=""), _head(rename(column.title), body)
            width = max(body + LETTER * 0.4 * len(mark), *(LETTER * em(line) for line in head))
            width = min(width, WIDEST * PAGE) if is_text else width
            self.columns.append(TexColumn(is_text, texts, head, mark, body, width))
        every = range(len(self.columns))
        over = self.width(every) - PAGE
        if len(every) <= MOST and over > 0:
            self._narrow(over)

    def _narrow(self, over: float) -> None:
        """Take a width from the widest column of text, if it stays wide enough."""
        texts = [column for column in self.columns if column.is_text]
        widest = max(texts, key=lambda column: column.width, default=None)
        if widest and over <= widest.width - NARROWEST:
            widest.width -= over

    def width(self, places: Sequence[int]) -> float:
        """Return the width of some columns in points."""
        return sum(self.columns[place].width + GAP for place in places) - GAP

    def panels(self) -> list[list[int]]:
        """Return the columns in parts that fit the page, each with the columns that name a row."""
        names = self.table.keys
        keys = [place for place in names if self.width(range(place + 1)) <= KEYS * PAGE] or [0]
        units = [*([place] for place in names if place not in keys), *self.table.units]
        return parted(
            keys, units, lambda places: len(places) <= MOST and self.width(places) <= PAGE
        )

    def tabular(self, places: Sequence[int], rows: Sequence[int]) -> str:
        """Return some columns of some rows."""
        columns = [self.columns[place] for place in places]
        specs = "".join(column.spec for column in columns)
        lines = [f"\\begin{{tabular}}{{@{{}}{specs}@{{}}}}", "\\toprule"]
        lines += [" & ".join(column.title for column in columns) + " \\\\", "\\midrule"]
        for row in rows:
            if row in self.table.style.rules and row > rows[0]:
                lines.append("\\midrule")
            if self.bands and (row == 0 or self.bands[row] != self.bands[row - 1]):
                name = self.bands[row]
                lines.append(rf"\multicolumn{{{len(places)}}}{{@{{}}l}}{{\emph{{{name}}}}} \\")
            lines.append(" & ".join(self._cell(row, place) for place in places) + " \\\\")
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}\n"])

    def _cell(self, row: int, place: int) -> str:
        """Return a cell, and the raised sign behind it, as wide as the widest one of its column."""
        column = self.columns[place]
        text, longest = table_text(column.cells[row]), tex(column.mark)
        shown = f"\\textbf{{{text}}}" if (row, place) in self.table.style.best else text
        if mark := self.table.sign(row, place):
            shown += rf"\rlap{{\textsuperscript{{{tex(mark)}}}}}"
        return shown + (rf"\phantom{{\textsuperscript{{{longest}}}}}" if longest else "")


def _head(title: str, body: float) -> list[str]:
    """Return the lines of a head: two if that makes the column narrower."""
    words = title.split(" ")
    if em(title) <= body / LETTER + 1 or len(words) == 1:
        return [title]
    splits = [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]
    return min(splits, key=lambda lines: max(map(em, lines)))


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
        bands = [str(row[0]) for row in table.rows]
        table = table.take(range(1, len(table.columns)))
    sheet = LatexTable(table, rename, rename_cell, bands)
    panels = sheet.panels()
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
