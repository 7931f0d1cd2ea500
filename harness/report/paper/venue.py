"""A venue's page: what tables and figures are made to fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from harness.core.errors import bounded
from harness.core.table import Layout
from harness.report.figure import Page

TIMES, COMPUTER_MODERN = 0.92, 1.06
"""How wide the letters of a font are."""
POINTS = 72.27
"""TeX's points of an inch."""


@dataclass(frozen=True)
class Venue:
    """Widths in points, letters, and the LaTeX preamble of a document in its style.

    column, page: widths of a column and of all columns, the same in a document of one column.
    text: size of the
    text.    serif: whether figures have Times's letters (STIX), or DejaVu Sans.
    """

    name: str
    column: float
    page: float
    text: float
    serif: bool
    preamble: str

    def __post_init__(self) -> None:
        bounded("paper.column", self.column, 100)
        bounded("paper.page", self.page, self.column)

    @property
    def layout(self) -> Layout:
        """Of tables, whose letters are `footnotesize`."""
        return Layout(
            self.column,
            self.page,
            (9.0 if self.text > 10 else 8.0) * (TIMES if self.serif else COMPUTER_MODERN),
            self.text,
        )

    def figure(self, rename: Callable[[str], str]) -> Page:
        """Of figures, one column wide, with names as a paper has them."""
        return Page(self.column / POINTS, "STIXGeneral" if self.serif else "DejaVu Sans", rename)
