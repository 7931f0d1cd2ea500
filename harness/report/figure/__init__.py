"""Figures for one column of a paper: colour-blind safe, legible at 8 points, the same bytes for the
same results.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.configuration import extensions
from harness.core.escape import check_file_name
from harness.core.files import whole
from harness.core.table import headed, sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from harness.core.table import Table

log = logging.getLogger(__name__)
WIDTH = 7.7 / 2.54
"""Inches: a column of a two-column paper, 7.7 cm."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's palette, told apart with any of the common colour deficiencies; markers and
dashes tell too.
"""

HATCHES = ("", "////", "....", "xxxx")

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def look(number: int) -> tuple[str, str]:
    """Colour and marker of the n-th of up to 64 series: no two have both."""
    return COLORS[number % len(COLORS)], MARKERS[(number + number // len(COLORS)) % len(MARKERS)]


def whole_numbers() -> MaxNLocator:
    """About five ticks of an axis of counts: 0, 20, 40, not 0, 15, 30."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(5, integer=True, steps=[1, 2, 5, 10])


def mark_intervals(
    axes: Axes,
    x: Sequence[float],
    values: Sequence[float],
    intervals: Sequence[tuple[float, float] | None],
    **style: Any,
) -> None:
    """Shares over x in percent, each with the bar of its interval where it has one."""
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
    "svg.hashsalt": "harness",
    "savefig.dpi": 200,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}


@dataclass(frozen=True)
class Page:
    """Where a figure stands: its width in inches, its letters, and what its labels are called
    there.
    """

    width: float = WIDTH
    family: str = "DejaVu Sans"
    rename: Callable[[str], str] = str


@contextlib.contextmanager
def missing_letters() -> Iterator[None]:
    """A block in which matplotlib's warning about each letter that the font lacks becomes one line
    for all.
    """
    with warnings.catch_warnings(record=True) as raised:
        warnings.filterwarnings("always", "Glyph .* missing from")
        yield
    letters = set[str]()
    for one in raised:
        if found := re.match(r"Glyph (\d+) .* missing from", str(one.message)):
            letters.add(chr(int(found[1])))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if new := letters - WARNED:
        WARNED.update(new)
        log.warning(
            "figures have an empty box for each of %s: their font lacks them", "".join(sorted(new))
        )


WARNED: set[str] = set()
"""Letters that a line was printed of."""
NO_DATE = {
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}


@dataclass(frozen=True)
class Picture:
    """A figure to be: ``draw`` fills an empty matplotlib Figure.

    title: what is drawn.    of: the data that it is drawn of: benchmark, split, n.    notes: what
    else must be known.
    x, y: the labels of the axes, where the figure has one pair; those of the site's chart too.
    """

    name: str
    title: str
    draw: Callable[[Figure], None] = field(repr=False)
    height: float = 2.3
    notes: str = ""
    of: str = ""
    x: str = ""
    y: str = ""

    def __post_init__(self) -> None:
        check_file_name("figure", self.name)

    @property
    def head(self) -> str:
        """What is drawn, and of what."""
        return headed(self.title, self.of)

    @property
    def caption(self) -> str:
        """Everything that is said about it."""
        return " ".join(filter(None, [sentence(self.head), self.notes]))

    @contextlib.contextmanager
    def drawn(self, page: Page | None = None) -> Iterator[Figure]:
        """The figure, while our style holds; the user's own matplotlib settings have no say."""
        import matplotlib
        from matplotlib.figure import Figure

        with matplotlib.rc_context(), missing_letters():
            matplotlib.rcParams.update(matplotlib.rcParamsDefault)
            page = page or Page()
            matplotlib.rcParams.update({**STYLE, "font.family": page.family})
            figure = Figure(figsize=(page.width, self.height), layout="constrained")
            self.draw(figure)
            if self.x or self.y:
                figure.axes[0].set(xlabel=self.x, ylabel=self.y)
            rename_texts(figure, page.rename)
            yield figure

    def axes(self) -> list[Axes]:
        """The axes of matplotlib, to be changed; ``axes[0].figure.savefig("mine.png")`` writes the
        figure.
        """
        with self.drawn() as figure:
            return list(figure.axes)

    def _repr_png_(self) -> bytes:
        """The figure, in a notebook."""
        with self.drawn() as figure:
            made = io.BytesIO()
            figure.savefig(made, format="png", metadata=NO_DATE["png"])
        return made.getvalue()

    def save(
        self, folder: Path, page: Page | None = None, endings: Sequence[str] = (".pdf", ".png")
    ) -> list[Path]:
        """Write ``<name>.pdf`` and ``<name>.png``."""
        paths = [folder / f"{self.name}{ending}" for ending in endings]
        self.write(paths, page)
        return paths

    def write(self, paths: Sequence[Path], page: Page | None = None) -> None:
        """Write these files, each in the form of its ending."""
        with self.drawn(page) as figure:
            for path in paths:
                made = io.BytesIO()  # matplotlib's own writer breaks on a full disk
                figure.savefig(made, format=path.suffix[1:], metadata=NO_DATE[path.suffix[1:]])
                with whole(path) as partial:
                    partial.write_bytes(made.getvalue())


def brought_pictures(runs: Path, dataset: str) -> list[Picture]:
    """What plug-ins (``read_pictures`` of modules in their folder ``picture``) have stored of a
    benchmark.
    """
    found = map(importlib.import_module, extensions.modules("picture").values())
    return [picture for module in found for picture in module.read_pictures(runs, dataset)]


Built = tuple[Picture, "Table | None"]
"""What ``build_figure(result, spec, experiment)`` of a kind of experiment figure gives: a figure,
maybe its table.
"""


def rename_texts(figure: Figure, rename: Callable[[str], str]) -> None:
    """Exchange the names in every text of a figure, its fixed ticks among them."""
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
