"""Figures for one column of a paper: colour-blind safe, legible at 8 points, the same bytes for the same results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from harness.report.table import Table

WIDTH = 3.4
"""Inches: a column of a two-column paper."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
"""Okabe and Ito's palette, told apart with any of the common colour deficiencies; markers and dashes tell too."""

HATCHES = ("", "////", "....", "xxxx")

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def look(number: int) -> tuple[str, str]:
    """Colour and marker of the n-th of up to 64 series: no two have both."""
    return COLORS[number % len(COLORS)], MARKERS[(number + number // len(COLORS)) % len(MARKERS)]


STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.hashsalt": "harness",
    "savefig.dpi": 200,
}

NO_DATE = {"pdf": {"CreationDate": None, "Producer": None, "Creator": None}, "png": {"Software": None}}


@dataclass(frozen=True)
class Picture:
    """A figure to be: ``draw`` fills an empty matplotlib Figure."""

    name: str
    caption: str
    draw: Callable[[Figure], None]
    height: float = 2.3

    def save(self, folder: Path) -> list[Path]:
        """Write ``<name>.pdf`` and ``<name>.png``; the user's own matplotlib settings have no say."""
        import matplotlib
        from matplotlib.figure import Figure

        paths = [folder / f"{self.name}.pdf", folder / f"{self.name}.png"]
        paths[0].parent.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context():
            matplotlib.rcParams.update(matplotlib.rcParamsDefault)
            matplotlib.rcParams.update(STYLE)
            figure = Figure(figsize=(WIDTH, self.height), layout="constrained")
            self.draw(figure)
            for path in paths:
                figure.savefig(path, metadata=NO_DATE[path.suffix[1:]])
        return paths


@dataclass(frozen=True)
class Drawn:
    """What ``drawn(result, spec, experiment)`` of a kind of experiment figure gives: a figure, maybe with its table."""

    picture: Picture
    table: Table | None = None
