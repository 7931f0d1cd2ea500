"""Scores of the fused lists: raw on one scale, and after two normalizers (PhaseGraph Fig. 2 and
3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.configuration.conf_files import strategy
from harness.core.table import digits
from harness.fusion.normalizer import Normalizer, for_list
from harness.fusion.pool import PoolSpec
from harness.report.figure import COLORS, HATCHES, Picture
from harness.sweep.folder.list_scores import ListScores
from harness.sweep.folder.result import SweepResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NORMALIZERS = ("pit", "minmax")
BINS = 10
"""Number of bins for normalised scores: the percentile ranks of a list of ten fill ten, and more
bins would show false gaps.
"""
LOGARITHMIC = 100.0
"""The greatest score divided by the smallest from which on the axis is logarithmic; it then has at
least two labels.
"""


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield figures of the lists on tune, with the winner's cap; none if the folder has no
    scores.
    """
    lists, knobs = result.scores, result.lock["winner"]["parameters"]
    if lists:
        fused = tuple(knobs.get("pool.lists") or lists)
        pool = PoolSpec(fused, knobs.get("pool.cap"), tuple(knobs.get("pool.capped") or ()))
        cut, where = pool.cut(lists), f"{result.whole.half}; the pool of the winner"
        yield raw(cut, where)
        yield calibrated(cut, where)


def raw(lists: Mapping[str, ListScores], where: str) -> Picture:
    """Return the raw scores of all lists on one axis.

    It is logarithmic if all scores are positive and the greatest is at least ``LOGARITHMIC`` times
    the smallest.

    Args:
        lists: their scores.
        where: data, split, n and depth, for the caption.
    """
    scores = {name: scored.scores for name, scored in lists.items() if len(scored.scores)}
    low = min((float(values.min()) for values in scores.values()), default=0.0)
    high = max((float(values.max()) for values in scores.values()), default=1.0)
    is_log = 0 < low * LOGARITHMIC <= high
    edges = np.geomspace(low, high, 41) if is_log else np.linspace(low, high, 41)
    ranges = "; ".join(
        f"{name} {digits(values.min(), 2)} to {digits(values.max(), 2)}, median "
        f"{digits(np.median(values), 2)}"
        for name, values in scores.items()
    )

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (name, values) in enumerate(scores.items()):
            color, hatch = COLORS[number % len(COLORS)], HATCHES[number % len(HATCHES)]
            weights = np.full(len(values), 100 / len(values))
            style: Any = {"histtype": "stepfilled", "alpha": 0.45, "color": color, "hatch": hatch}
            axes.hist(values, edges.tolist(), weights=weights, label=name, **style)
            axes.axvline(float(np.median(values)), color=color, linestyle="--", lw=1.0)
        if is_log:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:g}")  # its own is a formula
            axes.tick_params(axis="x", which="minor", labelbottom=False)
        figure.legend(loc="outside upper center", ncols=len(scores) or 1)

    title = "Raw scores of the lists that are fused, on one scale"
    axes = "raw score", "passages of the list (%)"
    return Picture("scores_raw", title, draw, 2.1, f"{ranges}. Dashed: medians.", where, *axes)


def calibrated(lists: Mapping[str, ListScores], where: str) -> Picture:
    """Return a row of panels for each of ``NORMALIZERS`` and a column for each list.

    The dashed lines are equal shares.
    """
    title = f"Scores of the lists that are fused, after {' and '.join(NORMALIZERS)}"
    notes = f"Share of the list's passages in each of {BINS} bins; dashed: equal shares."

    def draw(figure: Figure) -> None:
        grid = figure.subplots(len(NORMALIZERS), len(lists), squeeze=False, sharex=True)
        edges = np.linspace(0, 1, BINS + 1)
        for line, row in zip(grid, NORMALIZERS, strict=True):
            for axes, name, color in zip(line, lists, COLORS, strict=False):
                values = normalize(lists[name], strategy("normalizer", row), name)
                axes.stairs(100 * bin_shares(values), edges, fill=True, color=color)
                axes.axhline(100 / BINS, color="black", linestyle="--", lw=0.8)
                axes.set_title(f"{name}, {row}")
        figure.supxlabel("value")
        figure.supylabel("passages (%)")

    height = 0.5 + 1.25 * len(NORMALIZERS)
    return Picture("scores_calibrated", title, draw, height, notes, where)


def normalize(scored: ListScores, normalizer: Normalizer, name: str) -> Float64Array:
    """Return float64[N], the list's normalised scores in their order."""
    import torch

    present = np.arange(int(scored.lengths.max(initial=0))) < scored.lengths[:, None]
    scores = np.zeros(present.shape)
    scores[present] = scored.scores
    values = for_list(normalizer, name)(torch.from_numpy(scores), torch.from_numpy(present))
    return np.asarray(values.numpy()[present], dtype=np.float64)


def bin_shares(values: Float64Array) -> Float64Array:
    """Return float64[10], the share of values in (0, .1], (.1, .2], ... (.9, 1]; 0 is in the
    first.
    """
    places = np.clip(np.ceil(np.round(values * BINS, 9)).astype(np.int64) - 1, 0, BINS - 1)
    return np.bincount(places, minlength=BINS) / max(len(values), 1)
