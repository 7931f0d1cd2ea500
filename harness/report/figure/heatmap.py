"""A heat map over two sets of knobs; each cell is the best trial over all other knobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from harness.core.arrays import Float64Array
from harness.core.table import Column, Kind, Source, Table
from harness.report.figure import Built, Picture
from harness.report.table.comparison_table import not_comparable
from harness.report.table.knobs import value_text
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.judge.table_rows import Spec, is_shown, matches

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST = 14
"""Number of columns whose names at 8 points do not overlap, and whose cells hold a number."""
DIGIT = 0.64
"""The width of a digit, in em."""


def build_figure(result: SweepResult, spec: Spec, experiment: Spec) -> Built:
    """Return the figure of a ``heatmap`` and its cells as a table.

    A ``spec`` has ``name, title, rows, columns`` (knobs), ``value`` (a column), and may have
    ``where`` and ``blocks``. Cells are shares in percent if ``value`` is a metric, counts if it is
    ``wins`` or ``losses``.
    """
    view, value = result.whole, spec["value"]
    kind: Kind = "share"
    factor, digits, counts, unit = 100, 1, "", " (%)"
    if value in ("wins", "losses"):
        against = f" by {view.objective} against {view.reference}"
        kind, factor, digits, counts, unit = "count", 1, 0, against, ""
    cells = pd.DataFrame(_cells(result, spec), columns=["row", "column", "value"])
    best = cells.groupby(["row", "column"])["value"].max().unstack()
    best = best.reindex(index=sorted(best.index, key=_order), columns=sorted(best, key=_order))
    names, heads = [*best.index], [*best.columns]
    down = " ".join(knob.rpartition(".")[2] for knob in spec["rows"])
    across = " ".join(knob.rpartition(".")[2] for knob in spec["columns"])
    notes = [
        f"{value}{counts}, the best trial in each cell over all other knobs.",
        *filter(None, [spec.get("published", "")]),
        f"{not_comparable(result, experiment)}.",
    ]
    columns = [Column(f"{across} {head}", kind) for head in heads]
    shown = best.astype(object).where(best.notna(), None)
    rows = [[name, *values] for name, *values in shown.itertuples()]
    source = Source(f"{experiment['source']}; {caption.extent(view)}")
    table = Table(
        spec["name"], spec["title"], [Column(down, "text"), *columns], rows, source, notes
    )
    values = best.to_numpy(np.float64) * factor
    few = len(heads) <= MOST

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        image = axes.imshow(values, cmap="cividis", aspect="auto")
        size = 8 if few else 6
        axes.set_xticks(range(len(heads)), heads, rotation=90)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(length=0, labelsize=size)
        axes.set(xlabel=across, ylabel=down)
        figure.colorbar(image, ax=axes, label=f"{value}{unit}", location="top", aspect=40)

    def write_numbers(figure: Figure) -> None:
        _write_numbers(figure.axes[0], values, digits)

    height = max(2.3, 1.3 + 0.17 * len(names))
    title = f"{spec['title']}: {source.extent}"
    finish = write_numbers if few else None
    picture = Picture(spec["name"], title, draw, height, " ".join(notes), finish=finish)
    return picture, table


def _cells(result: SweepResult, spec: Spec) -> Iterator[tuple[str, str, float]]:
    """Yield row, column and value of the matching trials."""
    for trial in (row for row in result.whole.rows if is_shown(row, spec)):
        knobs = trial.parameters
        row, column = (_label(knobs, spec[side]) for side in ("rows", "columns"))
        number = trial.record[spec["value"]]
        if row and column and number is not None and matches(knobs, spec.get("where", {})):
            yield row, column, number


def _write_numbers(axes: Axes, values: Float64Array, digits: int) -> None:
    """Write the number of each cell, dark on light and light on dark."""
    middle = (np.nanmin(values) + np.nanmax(values)) / 2 if values.size else 0
    texts = {place: f"{number:.{digits}f}" for place, number in np.ndenumerate(values)}
    cell = axes.get_window_extent().width / values.shape[-1] * 72 / axes.figure.dpi
    size = min(8.0, cell / (DIGIT * max(map(len, texts.values()))))
    for (row, column), number in np.ndenumerate(values):
        if np.isfinite(number):
            shade = "black" if number > middle else "white"
            text = texts[row, column]
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=shade)


def _label(knobs: Mapping[str, object], names: Sequence[str]) -> str:
    """Return a trial's values of some knobs as text; empty if it lacks one of them."""
    if not knobs.keys() >= {*names}:
        return ""
    return " ".join(value_text(knobs[name]) for name in names)


def _order(label: str) -> list[tuple[bool, float, str]]:
    """Return the key that sorts labels: numbers by their size, before words."""
    words = label.split(" ")
    numbers = [word.removeprefix("-").replace(".", "", 1).isdigit() for word in words]
    pairs = zip(words, numbers, strict=True)
    return [(not number, float(word) if number else 0.0, word) for word, number in pairs]
