"""A result as a file, by its ending: JSON holds all of it; text, CSV and LaTeX hold its table."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import HarnessError, nearest
from harness.files import write_json, write_text

SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\~{}"})


@dataclass(frozen=True)
class Sheet:
    """``title``: one line above the table. ``rows``: a cell a column, floats are rounded where people read them."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def text(self) -> str:
        """For a terminal: numbers to the right, the first column to the left."""
        cells = [list(self.head), *([shown(value) for value in row] for row in self.rows)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.head))]
        lines = ["  ".join(self._padded(row, widths)).rstrip() for row in cells]
        return "\n".join([self.title, "", lines[0], "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:]])

    def csv(self) -> str:
        """Full precision, a comma between cells."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([self.head, *self.rows])
        return stream.getvalue()

    def latex(self) -> str:
        """A booktabs table."""
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escaped(self.title)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(self.head) - 1)}}}",
            r"\toprule",
            f"{' & '.join(map(_escaped, self.head))} \\\\",
            r"\midrule",
            *(f"{' & '.join(_escaped(shown(value)) for value in row)} \\\\" for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    @staticmethod
    def _padded(row: Sequence[str], widths: Sequence[int]) -> list[str]:
        return [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]


def check(out: str | None) -> None:
    """Raise for an ending that ``save`` does not know, before anything is computed."""
    if out is not None and Path(out).suffix.lower() not in FORMS:
        ending = Path(out).suffix
        raise HarnessError(
            f"out={out}: ending {ending or 'missing'} is not known{nearest(ending, FORMS)}; known: {', '.join(FORMS)}"
        )


def save(out: str | None, result: Any, sheet: Sheet) -> None:
    """Write the result to ``out`` (None: nowhere) in the form of its ending; whole or not at all."""
    check(out)
    if out is not None:
        FORMS[Path(out).suffix.lower()](Path(out), result, sheet)


FORMS: Mapping[str, Callable[[Path, Any, Sheet], None]] = {
    ".json": lambda path, result, sheet: write_json(path, result),
    ".txt": lambda path, result, sheet: write_text(path, sheet.text() + "\n"),
    ".csv": lambda path, result, sheet: write_text(path, sheet.csv()),
    ".tex": lambda path, result, sheet: write_text(path, sheet.latex()),
}


def shown(value: Any) -> str:
    """A cell as people read it: four digits, small p values as such, nothing as a dash."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4f}" if value == 0 or abs(value) >= 0.0001 else f"{value:.1e}"
    return str(value)


def _escaped(text: str) -> str:
    return str(text).translate(SPECIAL)
