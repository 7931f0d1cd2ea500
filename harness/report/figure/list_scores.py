"""Scores of the lists, raw and after each normalizer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.configuration import names, strategy
from harness.core.errors import HarnessError
from harness.fusion.learning import must_learn
from harness.fusion.normalizer import Normalizer, for_list
from harness.fusion.pool import PoolSpec
from harness.report.figure import COLORS, Picture
from harness.sweep.folder import ListScores, SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Values = Float64Array

BINS = 20
MOST_LISTS = 8
"""The largest number of lists next to each other; of more only those that the winner fuses are
shown.
"""


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield the figure of the lists on tune, with the winner's cap; none if the folder has no
    scores.
    """
    lists, knobs = result.scores, result.lock["winner"]["parameters"]
    if not lists:
        return
    known = {name: strategy("normalizer", name) for name in names("normalizer")}
    normalizers = {
        name: normalizer for name, normalizer in known.items() if not must_learn(normalizer)
    }
    cap, capped = knobs.get("pool.cap"), tuple(knobs.get("pool.capped") or ())
    fused = PoolSpec(tuple(knobs.get("pool.lists") or lists), cap, capped).cut(lists)
    shown = lists if len(lists) <= MOST_LISTS else {name: lists[name] for name in fused}
    yield distributions(shown, normalizers, result.whole.half, PoolSpec(tuple(shown), cap, capped))


def distributions(
    lists: Mapping[str, ListScores],
    normalizers: Mapping[str, Normalizer],
    where: str,
    pool: PoolSpec,
) -> Picture:
    """Return a row for the raw scores and one for each normalizer, and a column for each list.

    Args:
        lists: their scores.
        normalizers: by name.
        where: data, split, n and depth, for the caption.
        pool: number of the best documents of each list that are normalised.
    """
    taken = pool.cut(lists)
    raw = {name: one.scores for name, one in taken.items()}
    rows = {"raw": raw}
    for row, normalizer in normalizers.items():
        if row != "none":
            rows[row] = {name: normalize(one, normalizer, name) for name, one in taken.items()}
    depth = pool.description
    medians = ", ".join(f"{name} {np.median(own):.2g}" for name, own in raw.items() if len(own))
    notes = (
        f"Share of the list's passages in each of up to {BINS} bins. Median raw scores: {medians}. "
        "A normalizer takes the list of one question at a time. A panel is empty if a normalizer "
        "does not fit the list."
    )

    def draw(figure: Figure) -> None:
        for axes, row, name, scores in _panels(figure, rows):
            place = list(lists).index(name)
            heights, edges = histogram(scores)
            axes.stairs(heights, edges, fill=True, color=COLORS[place % len(COLORS)])
            axes.set_yticks([])
            axes.locator_params(axis="x", nbins=2)
            axes.xaxis.set_major_formatter("{x:g}")
            axes.tick_params(axis="x", pad=1)
            if row == "raw":
                axes.set_title(name)
            if place == 0:
                axes.set_ylabel(row, rotation=0, ha="right", va="center")

    title = "Scores of each list, raw and after each normalizer"
    return Picture(
        "distributions", title, draw, 0.45 + 0.62 * len(rows), notes, f"{where}; {depth}"
    )


def _panels(
    figure: Figure, rows: Mapping[str, Mapping[str, Values]]
) -> Iterator[tuple[Axes, str, str, Values]]:
    """Yield a panel for each row and list, with their names and the list's values."""
    columns = len(next(iter(rows.values())))
    grid = figure.subplots(len(rows), columns, squeeze=False)
    for line, (row, values) in zip(grid, rows.items(), strict=True):
        for axes, (name, own) in zip(line, values.items(), strict=True):
            yield axes, row, name, own


def normalize(one: ListScores, normalizer: Normalizer, name: str) -> Values:
    """Return float64[N], the list's normalised scores in their order; none if the normalizer
    refuses it.
    """
    import torch

    present = np.arange(int(one.lengths.max(initial=0))) < one.lengths[:, None]
    scores = np.zeros(present.shape)
    scores[present] = one.scores
    try:
        values = for_list(normalizer, name)(torch.from_numpy(scores), torch.from_numpy(present))
    except HarnessError:
        return np.empty(0)
    return np.asarray(values.numpy()[present], dtype=np.float64)


def histogram(values: Values) -> tuple[Values, Values]:
    """Return shares float64[B] and edges float64[B + 1] of equal bins over the range of values.

    B is 20, or the number of distinct values if that is smaller.
    """
    if not len(values):
        return np.zeros(1), np.array([0.0, 1.0])
    counts, edges = np.histogram(values, bins=min(BINS, len(np.unique(np.round(values, 9)))))
    return counts / counts.sum(), edges
