"""Tables as values: one column description for text, LaTeX, CSV, JSON and workbooks."""

from harness.core.table.table import Column, Table

__all__ = ["Column", "Table"]
