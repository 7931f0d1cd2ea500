"""Scores of the fused lists: raw on one scale, and after each normalizer
(PhaseGraph Fig. 2 and 3).
"""

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
from harness.report.figure import COLORS, HATCHES, Picture
from harness.sweep.folder import ListScores, SweepResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Values = Float64Array

BINS = 20
RANK_BINS = 10
"""Number of bins for percentile ranks: a list of ten has ten, and more bins would
show false gaps.
"""
MOST_LISTS = 8
"""The largest number of lists next to each other; of more only those that the winner fuses are
shown.
"""


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield figures of the lists on tune, with the winner's cap; none if the
    folder has no scores.
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
    where = f"{result.whole.half}; the pool of the winner"
    yield distributions(shown, normalizers, result.whole.half, PoolSpec(tuple(shown), cap, capped))
    yield raw(fused, where)
    yield calibrated(fused, {name: normalizers[name] for name in ("pit", "minmax")}, where)


def raw(lists: Mapping[str, ListScores], where: str) -> Picture:
    """Return the raw scores of all lists on one axis, logarithmic if all scores are positive.

    Args:
        lists: their scores.
        where: data, split, n and depth, for the caption.
    """
    scores = {name: one.scores for name, one in lists.items() if len(one.scores)}
    low = min((float(values.min()) for values in scores.values()), default=0.0)
    high = max((float(values.max()) for values in scores.values()), default=1.0)
    edges = np.geomspace(low, high, 41) if 0 < low < high else np.linspace(low, high, 41)
    ranges = "; ".join(
        f"{name} {values.min():.2g} to {values.max():.2g}, median {np.median(values):.2g}"
        for name, values in scores.items()
    )
    title, notes = (
        "Raw scores of the lists that are fused, on one scale",
        f"{ranges}. Dashed: medians.",
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (name, values) in enumerate(scores.items()):
            counts = np.histogram(values, bins=edges)[0]
            color, hatch = COLORS[number % len(COLORS)], HATCHES[number % len(HATCHES)]
            percents = 100 * counts / counts.sum()
            axes.stairs(
                percents, edges, fill=True, alpha=0.45, color=color, hatch=hatch, label=name
            )
            axes.stairs(percents, edges, color=color, lw=0.8)
            axes.axvline(float(np.median(values)), color=color, linestyle="--", lw=1.0)
        if 0 < low < high:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")  # its own is a formula
            axes.tick_params(axis="x", which="minor", labelbottom=False)
        figure.legend(loc="outside upper center", ncols=len(scores) or 1)

    return Picture(
        "scores_raw", title, draw, 2.1, notes, where, "raw score", "passages of the list (%)"
    )


def calibrated(
    lists: Mapping[str, ListScores], normalizers: Mapping[str, Normalizer], where: str
) -> Picture:
    """Return a row of panels for each normalizer and a column for each list.

    The dashed lines are equal shares.
    """
    rows = _normalize_all(lists, normalizers)
    title = f"Scores of the lists that are fused, after {' and '.join(rows)}"
    notes = f"Share of the list's passages in each of {RANK_BINS} bins; dashed: equal shares."

    def draw(figure: Figure) -> None:
        for axes, row, name, scores in _panels(figure, rows, sharex=True):
            edges = np.linspace(0, 1, RANK_BINS + 1)
            color = COLORS[list(lists).index(name)]
            axes.stairs(100 * bin_shares(scores), edges, fill=True, color=color)
            axes.axhline(100 / RANK_BINS, color="black", linestyle="--", lw=0.8)
            axes.set_title(f"{name}, {row}")
        figure.supxlabel("value")
        figure.supylabel("passages (%)")

    return Picture("scores_calibrated", title, draw, 0.5 + 1.25 * len(rows), notes, where)


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
    rows = {"raw": raw, **_normalize_all(taken, normalizers)}
    rows.pop("none", None)
    depth = pool.description
    notes = (
        f"Share of the list's passages in each of up to {BINS} bins. A normalizer takes the "
        "list of one question at a time. A panel is empty if a normalizer does not fit the "
        "list."
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
    figure: Figure, rows: Mapping[str, Mapping[str, Values]], sharex: bool = False
) -> Iterator[tuple[Axes, str, str, Values]]:
    """Yield a panel for each row and list, with their names and the list's values."""
    columns = len(next(iter(rows.values())))
    grid = figure.subplots(len(rows), columns, squeeze=False, sharex=sharex)
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


def bin_shares(values: Values) -> Values:
    """Return float64[10], the share of values in (0, .1], (.1, .2], ... (.9, 1]; 0
    is in the first.
    """
    places = np.clip(
        np.ceil(np.round(values * RANK_BINS, 9)).astype(np.int64) - 1, 0, RANK_BINS - 1
    )
    return np.bincount(places, minlength=RANK_BINS) / max(len(values), 1)


def _normalize_all(
    lists: Mapping[str, ListScores], normalizers: Mapping[str, Normalizer]
) -> dict[str, dict[str, Values]]:
    return {
        name: {key: normalize(one, normalizer, key) for key, one in lists.items()}
        for name, normalizer in normalizers.items()
    }
