"""A table in LaTeX: booktabs, ``table`` or ``table*`` by its width, the title as caption and the
notes below.

Widths are estimated from the letters, in points. Of a table that is too wide the groups of columns
stand below each other, each with all rows; without groups, columns that the page does not hold go
on below, beside the first ones again. Rows that a page does not hold go on in a table of the same
number.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.core.table.latex import LatexTable, Layout, table_text
from harness.core.table.table import Table, sentence

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
"""Between the parts of a table's columns; a document whose tables do not float may break its pages
there.
"""
NOTE = r"""\par\vspace{4pt}
\begin{minipage}{\linewidth}\scriptsize %s\end{minipage}
"""


def typeset(
    table: Table,
    layout: Layout,
    label: str,
    rename: Callable[[str], str] = str,
    rename_cell: Callable[[str], str] = str,
) -> str:
    """The table in LaTeX, labelled ``tab:<label>``.

    rename: names in titles and captions as a paper has them; rename_cell: a whole cell's.
    """
    bands: dict[int, str] = {}
    if table.banded:
        names = [str(row[0]) for row in table.rows]
        starts = (row for row in range(len(names)) if row == 0 or names[row - 1] != names[row])
        bands = {row: names[row] for row in starts}
        table = table.take(range(1, len(table.columns)))
    sheet = LatexTable(table, layout, rename, rename_cell, bands)
    panels = sheet.panels()
    if len(panels) > 1 and (stacked := table.stacked()) is not None:
        table, sheet = stacked, LatexTable(stacked, layout, rename, rename_cell)
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
