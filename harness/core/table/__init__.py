"""Tables as values: one column description for text, LaTeX, CSV, JSON and workbooks; and how numbers are written."""

from harness.core.table.format import (
    LEVEL,
    counted,
    interval,
    p_value,
    percent,
    percents,
    points,
    shown,
    sort_key,
    span,
)
from harness.core.table.latex import TWO_COLUMNS, Layout, Style, table_text
from harness.core.table.scale import SHARES, Scale
from harness.core.table.screen import fit, paragraph
from harness.core.table.table import Column, Table
from harness.core.table.typeset import LINES, split_caption, typeset

__all__ = [
    "LEVEL",
    "LINES",
    "SHARES",
    "TWO_COLUMNS",
    "Column",
    "Layout",
    "Scale",
    "Style",
    "Table",
    "counted",
    "fit",
    "interval",
    "p_value",
    "paragraph",
    "percent",
    "percents",
    "points",
    "shown",
    "sort_key",
    "span",
    "split_caption",
    "table_text",
    "typeset",
]
