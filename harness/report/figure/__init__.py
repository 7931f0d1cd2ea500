"""Figures for one column of a paper: safe for colour-blind readers, legible at 8 points,
reproducible.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.escape import check_file_name
from harness.core.files import whole
from harness.core.table import headed, sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from harness.core.table import Table

WIDTH = 7.7 / 2.54
"""Inches: a column of a two-column paper, 7.7 cm."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's palette, safe for common colour deficiencies; markers and dashes differ, too."""

HATCHES = ("", "////", "....", "xxxx")

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def color_and_marker(number: int) -> tuple[str, str]:
    """Return colour and marker of the n-th of up to 64 series, no two of which share both."""
    return COLORS[number % len(COLORS)], MARKERS[(number + number // len(COLORS)) % len(MARKERS)]


def whole_numbers() -> MaxNLocator:
    """Return about five ticks for an axis of counts: 0, 20, 40, not 0, 15, 30."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5, integer=True, steps=[1, 2, 5, 10])


def mark_intervals(
    axes: Axes,
    x: Sequence[float],
    values: Sequence[float],
    intervals: Sequence[tuple[float, float] | None],
    **style: Any,
) -> None:
    """Draw shares over x in percent, each with the bar of its interval if it has one."""
    y = np.array([100 * value for value in values])
    ends = 100 * np.array([interval or (np.nan, np.nan) for interval in intervals])
    axes.errorbar(x, y, np.abs(ends.reshape(-1, 2).T - y), **style)


STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "figure.labelsize": 8,
    "legend.fontsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.columnspacing": 1.0,
    "legend.handlelength": 1.6,
    "legend.handletextpad": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}


NO_DATE = {
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}


@dataclass(frozen=True)
class Picture:
    """A figure that ``draw`` draws into an empty matplotlib Figure.

    Attributes:
        title: the content.
        of: the data: benchmark, split, n.
        notes: further facts of the caption.
        x, y: labels of the axes, if the figure has one pair; also for the site's chart.
        finish: draws what depends on the size of the axes, after their labels are renamed.
    """

    name: str
    title: str
    draw: Callable[[Figure], None] = field(repr=False)
    height: float = 2.3
    notes: str = ""
    of: str = ""
    x: str = ""
    y: str = ""
    finish: Callable[[Figure], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_file_name("figure", self.name)

    @property
    def head(self) -> str:
        """The content and the data."""
        return headed(self.title, self.of)

    @property
    def caption(self) -> str:
        """The whole caption."""
        return " ".join(filter(None, [sentence(self.head), self.notes]))

    @contextlib.contextmanager
    def drawn(self, rename: Callable[[str], str] = str) -> Iterator[Figure]:
        """Yield the figure in this package's style; the user's matplotlib settings
        have no effect.
        """
        import matplotlib
        from matplotlib.figure import Figure

        with matplotlib.rc_context():
            matplotlib.rcParams.update(matplotlib.rcParamsDefault)
            matplotlib.rcParams.update(STYLE)
            figure = Figure(figsize=(WIDTH, self.height), layout="constrained")
            self.draw(figure)
            if self.x or self.y:
                figure.axes[0].set(xlabel=self.x, ylabel=self.y)
            rename_texts(figure, rename)
            if self.finish:
                figure.draw_without_rendering()  # so that the size of the axes is known
                self.finish(figure)
            yield figure

    def axes(self) -> list[Axes]:
        """Return matplotlib's axes, to be changed; ``axes[0].figure.savefig("mine.png")`` writes
        the figure.
        """
        with self.drawn() as figure:
            return list(figure.axes)

    def _repr_png_(self) -> bytes:
        """Return the figure for a notebook."""
        with self.drawn() as figure:
            return _file(figure, "png")

    def save(
        self,
        folder: Path,
        rename: Callable[[str], str] = str,
        forms: Sequence[str] = ("pdf", "png"),
    ) -> list[Path]:
        """Write ``<name>.pdf`` and ``<name>.png``; rename: changes the texts of the figure."""
        paths = []
        with self.drawn(rename) as figure:
            for form in forms:
                path = folder / f"{self.name}.{form}"
                with whole(path) as partial:
                    partial.write_bytes(_file(figure, form))
                paths.append(path)
        return paths


def _file(figure: Figure, form: str) -> bytes:
    """Return the content of a file, because matplotlib's own writer breaks on a full disk."""
    content = io.BytesIO()
    figure.savefig(content, format=form, metadata=NO_DATE[form])
    return content.getvalue()


Built = tuple[Picture, "Table | None"]
"""The result of ``build_figure(result, spec, experiment)``: a figure, and possibly its table."""


def rename_texts(figure: Figure, rename: Callable[[str], str]) -> None:
    """Rename every text of a figure, also its fixed ticks."""
    from matplotlib.text import Text
    from matplotlib.ticker import FixedLocator

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):
                axis.set_ticks(
                    axis.get_ticklocs(),
                    [rename(label.get_text()) for label in axis.get_ticklabels()],
                )
    for text in figure.findobj(Text):
        text.set_text(rename(text.get_text()))
