"""A table in LaTeX: booktabs and siunitx, ``table`` or ``table*`` by its width, a short caption with notes below.

Widths are estimated from the letters, in points. Columns that the page does not hold go on below, beside the first ones
again; rows that it does not hold go on in a table of the same number.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from harness.core.table.latex import LatexTable, Layout, Style, em, table_text
from harness.core.table.table import Table

NEEDS = "% Needs the packages array, booktabs, graphicx and siunitx.\n"
HEAD = r"""\begin{%s}[htbp]
%s\centering\footnotesize
\setlength{\belowcaptionskip}{6pt}
\setlength{\tabcolsep}{3pt}
\caption{%s}
"""
NOTE = r"""\par\vspace{4pt}
\begin{minipage}{\linewidth}\scriptsize %s\end{minipage}
"""
LINES = 2.7
"""Lines of a caption; the rest of it is a note below the table."""


def typeset(
    table: Table,
    layout: Layout,
    label: str,
    style: Style | None = None,
    rename: Callable[[str], str] = str,
    rename_cell: Callable[[str], str] = str,
) -> str:
    """The table in LaTeX, labelled ``tab:<label>``.

    rename: names in titles and captions as a paper has them; rename_cell: a whole cell's.
    """
    sheet = LatexTable(table, layout, style or Style(), rename, rename_cell)
    panels = sheet.panels()
    wide = max(map(sheet.width, panels)) > layout.column
    environment, width = ("table*", layout.page) if wide else ("table", layout.column)
    caption, note = split_caption(rename(table.title), rename(table.caption), LINES * width / layout.text)
    parts = [NEEDS]
    for first, rows in table.pages(len(panels), sheet.lines):
        title = f"{table_text(rename(table.title))}, continued." if first else table_text(caption)
        parts.append(HEAD % (environment, "\\addtocounter{table}{-1}\n" if first else "", title))
        parts.append("" if first else f"\\label{{tab:{label}}}\n")
        parts.append("\n\\par\\medskip\n".join(sheet.tabular(panel, first, len(rows)) for panel in panels))
        parts.append(NOTE % table_text(note) if note and not first else "")
        parts.append(f"\\end{{{environment}}}\n")
    return "".join(parts)


def split_caption(title: str, caption: str, longest: float) -> tuple[str, str]:
    """The sentences of a caption that fit, and the others.

    Of a first sentence that does not fit its part before a colon; the title alone where that does not fit either.

    longest: em.
    """
    said = caption or title
    sentences = re.split(r"(?<=\.) (?=[A-Z0-9])", said)
    count = 0
    while count < len(sentences) and em(" ".join(["Table 10:", *sentences[: count + 1]])) <= longest:
        count += 1
    clause, colon, rest = sentences[0].partition(": ")
    if not count and colon and em(f"Table 10: {clause}.") <= longest:
        return f"{clause}.", " ".join([rest[:1].upper() + rest[1:], *sentences[1:]])
    if count:
        return " ".join(sentences[:count]), " ".join(sentences[count:])
    return f"{title}.", said
