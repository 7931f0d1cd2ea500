"""A heat map over two sets of knobs; each cell is the best trial over all other knobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.table import Column, Source, Table
from harness.report.figure import Built, Picture
from harness.report.table.comparison_table import not_comparable
from harness.report.table.knobs import value_text
from harness.sweep.folder import SweepResult, caption, score
from harness.sweep.judge import Spec, matches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[Any, ...]
MISSING = "no such knob"
MOST = 14
"""Number of columns whose names at 8 points do not overlap."""
LEAST = 6
"""Smallest font size of numbers in cells, in points; smaller ones are only in the table."""


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the figure of a ``heatmap`` and its cells as a table."""
    heatmap = Heatmap(result, spec, experiment)
    return heatmap.picture(), heatmap.table()


@dataclass(frozen=True)
class Heatmap:
    """A figure ``spec``: ``name, title, rows, columns`` (knobs), ``value`` (a column), ``where``.

    Cells are shares in percent if ``value`` is a metric, counts if it is ``wins`` or ``losses``.
    """

    result: SweepResult
    spec: Spec
    experiment: Spec

    @cached_property
    def cells(self) -> dict[tuple[Point, Point], float]:
        """Return the largest value of the matching trials, by row and column."""
        found: dict[tuple[Point, Point], float] = {}
        for trial in self.result.whole.rows:
            knobs = trial["parameters"]
            row, column = self._point(knobs, "rows"), self._point(knobs, "columns")
            value = score(trial, self.spec["value"])
            if (
                MISSING not in (*row, *column)
                and matches(knobs, self.spec.get("where", {}))
                and value is not None
            ):
                found[row, column] = max(found.get((row, column), -np.inf), float(value))
        return found

    def table(self) -> Table:
        """Return the cells as a table."""
        rows, columns = self._axes()
        kind: Any = "share" if self._share else "count"
        head = [
            Column(" ".join(self._short("rows")), "text"),
            *(
                Column(f"{' '.join(self._short('columns'))} {_said(point)}", kind)
                for point in columns
            ),
        ]
        body = [
            [_said(row), *(self.cells.get((row, column)) for column in columns)] for row in rows
        ]
        return Table(
            self.spec["name"], self.spec["title"], head, body, self._source(), self._notes()
        )

    def picture(self) -> Picture:
        """Return the coloured cells."""
        rows, columns = self._axes()
        factor = 100 if self._share else 1
        values = np.array(
            [[factor * self.cells.get((row, column), np.nan) for column in columns] for row in rows]
        )
        title = f"{self.spec['title']}: {self._source().extent}"
        height = max(2.0, 0.9 + 0.15 * len(rows))
        return Picture(
            self.spec["name"], title, partial(self._draw, values), height, " ".join(self._notes())
        )

    def _draw(self, values: Float64Array, figure: Figure) -> None:
        rows, columns = self._axes()
        axes = figure.subplots()
        image = axes.imshow(values, cmap="cividis", aspect="auto")
        axes.set_xticks(range(len(columns)), [_said(point) for point in columns], rotation=90)
        axes.set_yticks(range(len(rows)), [_said(point) for point in rows])
        axes.tick_params(length=0, labelsize=6 if len(columns) > MOST else 8)
        axes.set_xlabel(" ".join(self._short("columns")))
        axes.set_ylabel(" ".join(self._short("rows")))
        size = min(8.0, 65 / max(len(columns), 1))  # a cell's width holds four digits
        if size >= LEAST:
            _write_numbers(axes, values, ".1f" if self._share else ".0f", size)
        figure.colorbar(
            image, ax=axes, label=f"{self.spec['value']}{' (%)' if self._share else ''}"
        )

    @property
    def _share(self) -> bool:
        return self.spec["value"] not in ("wins", "losses")

    def _axes(self) -> tuple[list[Point], list[Point]]:
        rows, columns = ({cell[side]: None for cell in self.cells} for side in (0, 1))
        return sorted(rows, key=_order), sorted(columns, key=_order)

    def _point(self, knobs: Mapping[str, object], side: str) -> Point:
        values = (knobs.get(knob, MISSING) for knob in self.spec[side])
        return tuple("+".join(value) if isinstance(value, list) else value for value in values)

    def _short(self, side: str) -> list[str]:
        return [knob.rpartition(".")[2] for knob in self.spec[side]]

    def _source(self) -> Source:
        return Source(f"{self.experiment['source']}; {caption.extent(self.result.whole)}")

    def _notes(self) -> list[str]:
        view = self.result.whole
        counted = "" if self._share else f" by {view.objective} against {view.reference}"
        return [
            f"{self.spec['value']}{counted}, the best trial in each cell over all other knobs.",
            *filter(None, [self.spec.get("published", "")]),
            f"{not_comparable(self.result, self.experiment)}.",
        ]


def _order(point: Point) -> Any:
    return [
        (value is None, isinstance(value, str), 0 if value is None else value) for value in point
    ]


def _said(point: Point) -> str:
    return " ".join(map(value_text, point))


def _write_numbers(axes: Axes, values: Float64Array, form: str, size: float) -> None:
    """Write the number of each cell, dark on light and light on dark."""
    shown = [(place, value) for place, value in np.ndenumerate(values) if np.isfinite(value)]
    middle = (np.nanmin(values) + np.nanmax(values)) / 2 if shown else 0
    for (row, column), value in shown:
        shade = "black" if value > middle else "white"
        axes.text(
            column, row, f"{value:{form}}", ha="center", va="center", fontsize=size, color=shade
        )
