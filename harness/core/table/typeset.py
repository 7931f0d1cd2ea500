"""A table in LaTeX: booktabs, ``table`` or ``table*`` by its width, the title as caption and the notes below.

Widths are estimated from the letters, in points. Of a table that is too wide the groups of columns stand below each
other, each with all rows; without groups, columns that the page does not hold go on below, beside the first ones again.
Rows that a page does not hold go on in a table of the same number.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.core.table.latex import LatexTable, Layout, table_text
from harness.core.table.table import Table, sentence

NEEDS = "% Needs the packages array, booktabs and graphicx.\n"
HEAD = r"""\begin{%s}[htbp]
%s\centering\footnotesize
\setlength{\belowcaptionskip}{6pt}
\setlength{\tabcolsep}{3pt}
\caption{%s}
"""
NOTE = r"""\par\vspace{4pt}
\begin{minipage}{\linewidth}\scriptsize %s\end{minipage}
"""
SHARED = r"\providecommand{\sharednotes}[1]{#1}"
"""Notes that all tables of a source have; a document that prints them once defines this to print nothing."""


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
    sheet = LatexTable(table, layout, rename, rename_cell)
    panels = sheet.panels()
    if len(panels) > 1 and (stacked := table.stacked()) is not None:
        table, sheet = stacked, LatexTable(stacked, layout, rename, rename_cell)
        panels = sheet.panels()
    wide = max(map(sheet.width, panels)) > layout.column
    environment = "table*" if wide else "table"
    own, shared = (table_text(rename(" ".join(notes))) for notes in (table.notes, table.source.notes))
    note = " ".join(filter(None, [own, rf"\sharednotes{{{shared}}}" if shared else ""]))
    parts = [NEEDS, f"{SHARED}\n" if shared else ""]
    for first, rows in table.pages(len(panels), sheet.lines):
        said = f"{rename(table.title)}, continued." if first else sentence(rename(table.head))
        parts.append(HEAD % (environment, "\\addtocounter{table}{-1}\n" if first else "", table_text(said)))
        parts.append("" if first else f"\\label{{tab:{label}}}\n")
        parts.append("\n\\par\\medskip\n".join(sheet.tabular(panel, first, len(rows)) for panel in panels))
        parts.append(NOTE % note if note and not first else "")
        parts.append(f"\\end{{{environment}}}\n")
    return "".join(parts)
