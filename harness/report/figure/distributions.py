"""Score distributions of every list before and after each normalizer: what calibration does to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.normalizer import Normalizer, for_list
from harness.report.figure import COLORS, Picture
from harness.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 20


def distributions(
    runs: Mapping[str, Run],
    normalizers: Mapping[str, Normalizer],
    dataset: str,
    split: str,
    cap: int | None = None,
    capped: Collection[str] = ("graph",),
) -> Picture:
    """One figure: a row for the raw scores and one for each normalizer, a column for each list.

    cap: how many of the best documents of each list in ``capped`` are normalised (``pool.cap``); None means all.
    """
    cut = sorted(set(runs) & set(capped)) if cap else []
    lists = {name: run.top(cap) if name in cut else run for name, run in runs.items()}
    rows = {"raw": {name: run.scores for name, run in lists.items()}}
    for name, normalizer in normalizers.items():
        if name != "none":
            rows[name] = {key: normalized(run, normalizer, key) for key, run in lists.items()}
    n = len(next(iter(lists.values())))
    depth = f"the {cap} best documents of {', '.join(cut)}" if cut else "all documents of each list"
    caption = (
        f"Scores of each list, raw and after each normalizer: {dataset}, {split} split (n = {n} queries, {depth}). "
        "Share of the list's documents in each of 20 bins; normalizers see one query's list at a time; a "
        "panel is empty where a normalizer says that it is not made for that list."
    )

    def draw(figure: Figure) -> None:
        grid = figure.subplots(len(rows), len(lists), squeeze=False)
        for line, (row, values) in enumerate(rows.items()):
            for place, (name, scores) in enumerate(values.items()):
                axes = grid[line, place]
                heights, edges = histogram(scores)
                axes.stairs(heights, edges, fill=True, color=COLORS[place % len(COLORS)])
                axes.set_yticks([])
                axes.locator_params(axis="x", nbins=3)
                axes.tick_params(axis="x", labelsize=6, pad=1)
                if line == 0:
                    axes.set_title(name)
                if place == 0:
                    axes.set_ylabel(row, rotation=0, ha="right", va="center")

    return Picture("distributions", caption, draw, 0.45 + 0.62 * len(rows))


def normalized(run: Run, normalizer: Normalizer, name: str) -> NDArray[np.float64]:
    """float64[N]: the list's scores after the normalizer, in the run's order; none when it refuses the list."""
    import torch

    lengths = run.lengths()
    present = np.arange(int(lengths.max(initial=0))) < lengths[:, None]
    scores = np.zeros(present.shape)
    scores[present] = run.scores
    try:
        values = for_list(normalizer, name)(torch.from_numpy(scores), torch.from_numpy(present))
    except HarnessError:
        return np.empty(0)
    return np.asarray(values.numpy()[present], dtype=np.float64)


def histogram(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares float64[20] and edges float64[21] of 20 equal bins between the smallest and the greatest value."""
    if not len(values):
        return np.zeros(1), np.array([0.0, 1.0])
    counts, edges = np.histogram(values, bins=BINS)
    return counts / counts.sum(), edges
