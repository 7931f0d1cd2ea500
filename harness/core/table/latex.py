"""Tables in LaTeX with booktabs: ``table`` or ``table*``, the title as caption and the notes below.

Widths are estimated from the letters, in points. If a table is too wide, its columns continue
below, after the columns that name a row. If a table is too long for a page, its rows continue in
a table of the same number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property

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


def table_text(text: str) -> str:
    """Return text in LaTeX, with minus signs before numbers."""
    return re.sub(r"(?<![\w.@/}-])-(?=[\d.])", r"\\ensuremath{-}", tex(text))


def em(text: str) -> float:
    """Return the approximate width of a line, in em."""
    return sum(LETTERS.get(letter, 0.72 if letter.isupper() else 0.52) for letter in text)


class LatexTable:
    """The cells of a table in LaTeX, and the widths of its columns.

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
        self.table, self.rename, self.bands = table, rename, bands
        self.kinds = [column.kind for column in table.columns]
        self.cells = table.cells()
        for place in (place for place, kind in enumerate(self.kinds) if kind == "text"):
            for row in self.cells:
                row[place] = rename_cell(row[place])

    @cached_property
    def bodies(self) -> list[float]:
        """The width of each column's widest cell in points."""
        bodies = [0.0] * len(self.kinds)
        for row, cells in enumerate(self.cells):
            for place, cell in enumerate(cells):
                width = LETTER * em(cell) * (BOLD if self.table.is_bold(row, place) else 1)
                bodies[place] = max(bodies[place], width)
        return bodies

    @cached_property
    def marks(self) -> list[str]:
        """The longest mark of each column."""
        marks = [""] * len(self.kinds)
        for (_, place), mark in self.table.style.marks.items():
            marks[place] = max(marks[place], mark, key=len)
        return marks

    @cached_property
    def heads(self) -> list[list[str]]:
        """The lines of each head: two if that makes the column narrower."""
        heads = []
        for column, body in zip(self.table.columns, self.bodies, strict=True):
            words = self.rename(column.title).split(" ")
            cuts = range(1, len(words) if em(" ".join(words)) > body / LETTER + 1 else 1)
            splits = [[" ".join(words[:cut]), " ".join(words[cut:])] for cut in cuts]
            widest = [max(map(em, lines)) for lines in splits]
            heads.append(splits[widest.index(min(widest))] if splits else [" ".join(words)])
        return heads

    @cached_property
    def widths(self) -> list[float]:
        """The width of each column in points."""
        widths = []
        for kind, body, head, mark in zip(
            self.kinds, self.bodies, self.heads, self.marks, strict=True
        ):
            width = max(body + LETTER * 0.4 * len(mark), *(LETTER * em(line) for line in head))
            widths.append(min(width, WIDEST * PAGE) if kind == "text" else width)
        texts = [place for place, kind in enumerate(self.kinds) if kind == "text"]
        longest = max(texts, key=widths.__getitem__, default=0)
        over = sum(widths) + GAP * (len(widths) - 1) - PAGE
        if texts and len(widths) <= MOST and 0 < over <= widths[longest] - NARROWEST:
            widths[longest] -= over
        return widths

    def width(self, places: Sequence[int]) -> float:
        """Return the width of some columns in points."""
        return sum(self.widths[place] + GAP for place in places) - GAP

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
        specs = "".join(map(self._spec, places))
        lines = [f"\\begin{{tabular}}{{@{{}}{specs}@{{}}}}", "\\toprule"]
        lines += [" & ".join(map(self._head, places)) + " \\\\", "\\midrule"]
        for row in rows:
            if row in self.table.style.rules and row > rows[0]:
                lines.append("\\midrule")
            if self.bands and (row == 0 or self.bands[row] != self.bands[row - 1]):
                name = table_text(self.rename(self.bands[row]))
                lines.append(rf"\multicolumn{{{len(places)}}}{{@{{}}l}}{{\emph{{{name}}}}} \\")
            lines.append(" & ".join(self._cell(row, place) for place in places) + " \\\\")
        return "\n".join([*lines, "\\bottomrule", "\\end{tabular}\n"])

    def _head(self, place: int) -> str:
        lines = [table_text(line) for line in self.heads[place]]
        side = "l" if self.kinds[place] == "text" else "r"
        return lines[0] if len(lines) == 1 else HEADS % (side, BREAK.join(lines))

    def _spec(self, place: int) -> str:
        """Return the column's type: broken lines for long text, numbers to the right."""
        if self.kinds[place] != "text":
            return "r"
        width = self.widths[place]
        is_long = self.bodies[place] > width
        return rf">{{\raggedright\arraybackslash}}p{{{width:.0f}pt}}" if is_long else "l"

    def _cell(self, row: int, place: int) -> str:
        """Return a cell, and the raised sign behind it, as wide as the widest one of its column."""
        text, longest = table_text(self.cells[row][place]), tex(self.marks[place])
        shown = f"\\textbf{{{text}}}" if self.table.is_bold(row, place) else text
        if mark := self.table.style.marks.get((row, place)):
            shown += rf"\rlap{{\textsuperscript{{{tex(mark)}}}}}"
        return shown + (rf"\phantom{{\textsuperscript{{{longest}}}}}" if longest else "")


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
