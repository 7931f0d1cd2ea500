"""Tables as values, with one description of columns for text, LaTeX, CSV, JSON and workbooks, and
the formats of numbers.
"""

from harness.core.table.format import (
    LEVEL,
    SHARES,
    Column,
    Field,
    Kind,
    Scale,
    counted,
    digits,
    interval,
    p_value,
    percent,
    percents,
    points,
    shown,
    sort_key,
    span,
)
from harness.core.table.latex import table_text, typeset
from harness.core.table.screen import entry, fit, fold, paragraph, shown_lines
from harness.core.table.table import WINNER, Source, Style, Table, headed, sentence, stack

__all__ = [
    "LEVEL",
    "SHARES",
    "WINNER",
    "Column",
    "Field",
    "Kind",
    "Scale",
    "Source",
    "Style",
    "Table",
    "counted",
    "digits",
    "entry",
    "fit",
    "fold",
    "headed",
    "interval",
    "p_value",
    "paragraph",
    "percent",
    "percents",
    "points",
    "sentence",
    "shown",
    "shown_lines",
    "sort_key",
    "span",
    "stack",
    "table_text",
    "typeset",
]
