"""The cells of a table as LaTeX, and how wide its columns are, estimated from the letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import ceil

from harness.core.escape import tex
from harness.core.table.table import Table

NUMBERS = ("share", "points", "number", "change")
"""Kinds of columns that siunitx sets."""
BREAK = r"\\"
BOX = r"""\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%%
%s}
"""
GAP = 6.0
"""Points between two columns, twice ``tabcolsep``."""
BOLD = 1.12
"""By how much bold letters are wider."""
KEYS = 0.6
"""Of the page's width, what columns that name a row may have."""
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
WIDEST = 0.4
"""Of the page's width, that of a column of text; a longer cell is broken."""
LETTERS = {**dict.fromkeys("iljtfI.,:;'|!()[]- /", 0.33), **dict.fromkeys("mwMW@%", 0.86)}
"""Widths in em; other capitals .72, other letters and digits .52."""


@dataclass(frozen=True)
class Layout:
    """The document that a table stands in: widths of a column and of the page, and sizes of letters, in points.

    letter: of a table, times how wide the font is.
    """

    column: float = 240.0
    page: float = 490.0
    letter: float = 8.5
    text: float = 10.0


TWO_COLUMNS = Layout()
"""An article of two columns on letter paper or A4."""


@dataclass(frozen=True)
class Style:
    """What cells carry beside their value: each is named by row and column.

    best: in bold.    second: underlined.    marks: raised signs behind a number.
    rules: rows with a rule above.    groups: a head above each column, the same above neighbours that belong together.
    """

    best: frozenset[tuple[int, int]] = frozenset()
    second: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    rules: frozenset[int] = frozenset()
    groups: Sequence[str] = ()


def table_text(text: str) -> str:
    """Text in LaTeX, with minus signs before numbers."""
    return re.sub(r"(?<![\w.@/}-])-(?=[\d.])", r"\\ensuremath{-}", tex(text))


def em(text: str) -> float:
    """About the width of a line in em."""
    return sum(LETTERS.get(letter, 0.72 if letter.isupper() else 0.52) for letter in text)


@dataclass(frozen=True)
class LatexTable:
    """The cells of a table as LaTeX, and how wide its columns are."""

    table: Table
    layout: Layout
    style: Style
    rename: Callable[[str], str]
    rename_cell: Callable[[str], str]

    @cached_property
    def kinds(self) -> list[str]:
        """How each column's values are shown."""
        return [column.kind for column in self.table.columns]

    @cached_property
    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [
            [self.rename_cell(cell) if kind == "text" else cell for cell, kind in zip(row, self.kinds, strict=True)]
            for row in self.table.cells()
        ]

    @cached_property
    def heads(self) -> list[list[str]]:
        """The lines of each column's head: broken in two where that makes the column narrower."""
        found = []
        for place, column in enumerate(self.table.columns):
            words = re.split(" (?!%)", self.rename(column.title))
            body = max((em(row[place]) for row in self.cells), default=0.0)
            splits = [[" ".join(words[:cut]), " ".join(words[cut:])] for cut in range(1, len(words))]
            best = min(splits, key=lambda lines: max(map(em, lines)), default=[])
            found.append(best if best and em(" ".join(words)) > body + 1 else [" ".join(words)])
        return found

    @cached_property
    def widths(self) -> list[float]:
        """Points of each column."""
        widest = WIDEST * self.layout.page
        found = []
        for place, kind in enumerate(self.kinds):
            marks = max((len(mark) for (_, at), mark in self.style.marks.items() if at == place), default=0)
            body = max((em(row[place]) for row in self.cells), default=0.0) + 0.4 * marks
            body *= BOLD if self.table.marked or self.table.best or self.style.best else 1
            width = self.layout.letter * max(body, *map(em, self.heads[place]))
            found.append(min(width, widest) if kind == "text" else width)
        for name, members in _spans(self.style.groups, range(len(found) if self.style.groups else 0)):
            lacking = self.layout.letter * em(name) + GAP - sum(found[place] + GAP for place in members)
            for place in members:
                found[place] += max(lacking, 0) / len(members)
        return found

    @property
    def lines(self) -> float:
        """Lines of a row, in the mean."""
        texts = [place for place, kind in enumerate(self.kinds) if kind == "text"]
        heights = [
            max((ceil(self.layout.letter * em(row[place]) / self.widths[place] - 0.01) for place in texts), default=1)
            for row in self.cells
        ]
        return max(1.0, sum(heights) / max(1, len(heights)))

    def width(self, places: Sequence[int]) -> float:
        """Points of a part of the columns."""
        return sum(self.widths[place] + GAP for place in places)

    def panels(self) -> list[list[int]]:
        """The columns in parts that the page holds, each with the columns that name a row: the first ones of text."""
        start = self.kinds.index("text") if "text" in self.kinds[:2] else 0
        end = next((place for place in range(start, len(self.kinds)) if self.kinds[place] != "text"), len(self.kinds))
        keys = [place for place in range(end) if self.width(range(place + 1)) <= KEYS * self.layout.page] or [0]
        found = self._parts(keys, self.layout.page)
        for share in range(95, 45, -5):  # as many parts, of more equal widths
            narrower = self._parts(keys, self.layout.page * share / 100)
            found = narrower if len(narrower) == len(found) > 1 else found
        return found

    def _parts(self, keys: Sequence[int], limit: float) -> list[list[int]]:
        parts = [list(keys)]
        for place in range(len(keys), len(self.kinds)):
            if self.width([*parts[-1], place]) > limit and len(parts[-1]) > len(keys):
                parts.append(list(keys))
            parts[-1].append(place)
        return parts

    def tabular(self, places: Sequence[int], first: int, count: int) -> str:
        """Some columns of some rows, in a box that is made smaller where a document is narrower than the layout."""
        specs = "".join(self._spec(place) for place in places)
        lines = [f"\\begin{{tabular}}{{{specs}}}", "\\toprule"]
        if self.style.groups:
            lines += self._groups(places)
        lines += [" & ".join(self._head(place) for place in places) + " \\\\", "\\midrule"]
        for row in range(first, first + count):
            if row in self.style.rules:
                lines.append("\\midrule")
            lines.append(" & ".join(self._cell(row, place) for place in places) + " \\\\")
        return BOX % "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])

    def _groups(self, places: Sequence[int]) -> list[str]:
        """The line of heads above heads, with rules below them."""
        cells, rules, at = [], [], 1
        for name, members in _spans(self.style.groups, places):
            span = len(members)
            cells.append(f"\\multicolumn{{{span}}}{{{'c' if name else 'l'}}}{{{table_text(name)}}}")
            rules += [f"\\cmidrule(lr){{{at}-{at + span - 1}}}"] if name else []
            at += span
        return [" & ".join(cells) + " \\\\", "".join(rules)]

    def _head(self, place: int) -> str:
        lines = [table_text(line) for line in self.heads[place]]
        side = {"text": "l", **dict.fromkeys(NUMBERS, "c")}.get(self.kinds[place], "r")
        head = lines[0] if len(lines) == 1 else rf"\shortstack[{side}]{{{BREAK.join(lines)}}}"
        return f"{{{head}}}" if self.kinds[place] in NUMBERS else head

    def _spec(self, place: int) -> str:
        """The column's type: siunitx's S for shares and points, broken lines for long text."""
        kind = self.kinds[place]
        if kind == "text":
            widest = max((em(row[place]) for row in self.cells), default=0.0) * self.layout.letter
            broken = rf">{{\raggedright\arraybackslash}}p{{{self.widths[place]:.0f}pt}}"
            return broken if widest > self.widths[place] else "l"
        if kind not in NUMBERS:
            return "r"
        numbers = [row[place].partition(".") for row in self.cells if NUMBER.fullmatch(row[place])]
        whole = max((len(number[0].lstrip("+-")) for number in numbers), default=1)
        decimals = max((len(number[2]) for number in numbers), default=0)
        sign = "+" if any(number[0][:1] in ("+", "-") for number in numbers) else ""
        marks = [mark for (_, at), mark in self.style.marks.items() if at == place]
        space = f",table-space-text-post={{\\textsuperscript{{{tex(max(marks, key=len))}}}}}" if marks else ""
        plus = ",retain-explicit-plus" if sign else ""
        return f"S[table-format={sign}{whole}.{decimals}{space},mode=text,detect-weight{plus}]"

    def _cell(self, row: int, place: int) -> str:
        text = self.cells[row][place]
        bold = row in self.table.marked or (row, place) in self.style.best | self.table.best
        if self.kinds[place] not in NUMBERS:
            shown = table_text(text)
            return f"\\textbf{{{shown}}}" if bold else shown
        if not NUMBER.fullmatch(text):
            return f"{{{table_text(text)}}}"
        parts = [text]
        if bold:
            parts.insert(0, r"\bfseries ")
        if (row, place) in self.style.second:
            parts.append(rf"\llap{{\underline{{\phantom{{{text}}}}}}}")
        if mark := self.style.marks.get((row, place)):
            parts.append(rf"\textsuperscript{{{tex(mark)}}}")
        return "".join(parts)


def _spans(groups: Sequence[str], places: Sequence[int]) -> list[tuple[str, list[int]]]:
    """Neighbours of one group, with its name."""
    return [(name, list(members)) for name, members in groupby(places, key=lambda place: groups[place])]
