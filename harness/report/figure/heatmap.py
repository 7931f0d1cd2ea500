"""A heat map over two sets of knobs; each cell is the best trial over all other knobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

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
COUNTS = ("wins", "losses")
MOST = 14
"""Number of columns whose names at 8 points do not overlap."""
LEAST = 6
"""Smallest font size of numbers in cells, in points; smaller ones are only in the table."""


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the figure of a ``heatmap`` and its cells as a table.

    A ``spec`` has ``name, title, rows, columns`` (knobs), ``value`` (a column) and ``where``. Cells
    are shares in percent if ``value`` is a metric, counts if it is ``wins`` or ``losses``.
    """
    view, value = result.whole, spec["value"]
    counts = ("count", 1, ".0f", "")
    kind, factor, form, unit = counts if value in COUNTS else ("share", 100, ".1f", " (%)")
    cells = _cells(result, spec)
    rows, columns = (sorted({cell[side] for cell in cells}, key=_order) for side in (0, 1))
    heads = [
        " ".join(knob.rpartition(".")[2] for knob in spec[side]) for side in ("rows", "columns")
    ]
    notes = _notes(result, spec, experiment)
    source = Source(f"{experiment['source']}; {caption.extent(view)}")
    body = [[cells.get((row, column)) for column in columns] for row in rows]
    names, texts = [_said(row) for row in rows], [_said(column) for column in columns]
    titles = [Column(f"{heads[1]} {text}", cast("Any", kind)) for text in texts]
    lines = [[name, *line] for name, line in zip(names, body, strict=True)]
    head = [Column(heads[0], "text"), *titles]
    table = Table(spec["name"], spec["title"], head, lines, source, notes)
    values = np.array(body, dtype=np.float64) * factor

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        image = axes.imshow(values, cmap="cividis", aspect="auto")
        axes.set_xticks(range(len(columns)), texts, rotation=90)
        axes.set_yticks(range(len(rows)), names)
        axes.tick_params(length=0, labelsize=6 if len(columns) > MOST else 8)
        axes.set(xlabel=heads[1], ylabel=heads[0])
        size = min(8.0, 65 / max(len(columns), 1))  # a cell's width holds four digits
        if size >= LEAST:
            _write_numbers(axes, values, form, size)
        figure.colorbar(image, ax=axes, label=f"{value}{unit}")

    height = max(2.0, 0.9 + 0.15 * len(rows))
    title = f"{spec['title']}: {source.extent}"
    return Picture(spec["name"], title, draw, height, " ".join(notes)), table


def _notes(result: SweepResult, spec: Spec, experiment: Spec) -> list[str]:
    view, value = result.whole, spec["value"]
    counts = f" by {view.objective} against {view.reference}" if value in COUNTS else ""
    return [
        f"{value}{counts}, the best trial in each cell over all other knobs.",
        *filter(None, [spec.get("published", "")]),
        f"{not_comparable(result, experiment)}.",
    ]


def _cells(result: SweepResult, spec: Spec) -> dict[tuple[Point, Point], float]:
    """Return the largest value of the matching trials, by row and column."""
    found: dict[tuple[Point, Point], float] = {}
    for trial in result.whole.rows:
        knobs = trial["parameters"]
        row, column = (_point(knobs, spec[side]) for side in ("rows", "columns"))
        value = score(trial, spec["value"])
        known = value is not None and MISSING not in (*row, *column)
        if known and matches(knobs, spec.get("where", {})):
            found[row, column] = max(found.get((row, column), -np.inf), float(value or 0.0))
    return found


def _point(knobs: Mapping[str, object], names: Sequence[str]) -> Point:
    values = (knobs.get(knob, MISSING) for knob in names)
    return tuple("+".join(value) if isinstance(value, list) else value for value in values)


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
