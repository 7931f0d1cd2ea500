"""Why scores are calibrated: two lists on one scale, raw (PhaseGraph Fig. 2) and normalised (Fig. 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from harness.normalizer import Normalizer
from harness.report.figure import COLORS, HATCHES, Picture
from harness.report.figure.distributions import normalized
from harness.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 10
"""A dense list of ten has ten percentile ranks: more bins would show gaps that are not there."""


def raw(lists: Mapping[str, Run], where: str) -> Picture:
    """The raw scores of all lists on one axis: logarithmic where all scores are positive.

    where: data, split, n and depth, for the caption.
    """
    scores = {name: run.scores for name, run in lists.items() if len(run.scores)}
    low = min((float(values.min()) for values in scores.values()), default=0.0)
    high = max((float(values.max()) for values in scores.values()), default=1.0)
    edges = np.geomspace(low, high, 41) if 0 < low < high else np.linspace(low, high, 41)
    told = "; ".join(
        f"{name} {_few(values.min())} to {_few(values.max())}, median {_few(np.median(values))}"
        for name, values in scores.items()
    )
    caption = f"Raw scores of the lists that are fused, on one scale: {where}. {told}. Dashed: medians."

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (name, values) in enumerate(scores.items()):
            counts = np.histogram(values, bins=edges)[0]
            color, hatch = COLORS[number % len(COLORS)], HATCHES[number % len(HATCHES)]
            shares = 100 * counts / counts.sum()
            axes.stairs(shares, edges, fill=True, alpha=0.45, color=color, hatch=hatch, label=name)
            axes.stairs(shares, edges, color=color, lw=0.8)
            axes.axvline(float(np.median(values)), color=color, linestyle="--", lw=1.0)
        if 0 < low < high:
            axes.set_xscale("log")
        axes.set_xlabel("raw score")
        axes.set_ylabel("documents of the list (%)")
        figure.legend(loc="outside upper center", ncols=len(scores) or 1)

    return Picture("scores_raw", caption, draw, 2.1)


def calibrated(lists: Mapping[str, Run], normalizers: Mapping[str, Normalizer], where: str) -> Picture:
    """A row of panels for each normalizer, a column for each list; dashed: what equal shares would be."""
    rows = {
        name: {key: normalized(run, normalizer, key) for key, run in lists.items()}
        for name, normalizer in normalizers.items()
    }
    caption = (
        f"The same lists after {' and '.join(rows)}: {where}. Share of the list's documents in each of {BINS} bins; "
        "dashed: equal shares."
    )

    def draw(figure: Figure) -> None:
        grid = figure.subplots(len(rows), len(lists), squeeze=False, sharex=True)
        for line, (row, values) in enumerate(rows.items()):
            for place, (name, scores) in enumerate(values.items()):
                axes = grid[line, place]
                axes.stairs(100 * shares(scores), np.linspace(0, 1, BINS + 1), fill=True, color=COLORS[place])
                axes.axhline(100 / BINS, color="black", linestyle="--", lw=0.8)
                axes.set_title(f"{name}, {row}")
                if place == 0:
                    axes.set_ylabel("documents (%)")
                if line == len(rows) - 1:
                    axes.set_xlabel("value")

    return Picture("scores_calibrated", caption, draw, 0.5 + 1.25 * len(rows))


def shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[10]: the share of values in (0, .1], (.1, .2], ... (.9, 1]; 0 counts to the first."""
    places = np.clip(np.ceil(np.round(values * BINS, 9)).astype(np.int64) - 1, 0, BINS - 1)
    return np.bincount(places, minlength=BINS) / max(len(values), 1)


def _few(value: float) -> str:
    return f"{value:.2g}"
