"""Files that are read: plain or packed, as lines, JSON, YAML or separated values, with errors that name the place."""

from harness.core.input.packing import form_of, is_packed, packed
from harness.core.input.read import (
    DAMAGED,
    MARK,
    numbered_lines,
    opened,
    parse_json,
    read_json,
    read_yaml,
    refuse_array,
)
from harness.core.input.separated import COMMA, TAB, read_text, rows_of
from harness.core.input.stored import Number, Pair, misfit

__all__ = [
    "COMMA",
    "DAMAGED",
    "MARK",
    "TAB",
    "Number",
    "Pair",
    "form_of",
    "is_packed",
    "misfit",
    "numbered_lines",
    "opened",
    "packed",
    "parse_json",
    "read_json",
    "read_text",
    "read_yaml",
    "refuse_array",
    "rows_of",
]
