"""The objective against alpha, the share of the first of two lists, with Wilson bands."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.fusion.context import default_anchor
from harness.report.figure import Picture, color_and_marker
from harness.sweep.folder.judged_trial import JudgedTrial
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ((0, (4, 2)), (0, (1, 1)), (0, (4, 1, 1, 1)))
Pair = tuple[str, ...]
Point = tuple[float, float, float, float]
"""alpha, the objective of its best trial, and its 95% Wilson interval; NaN where it has none."""


def pictures(result: SweepResult) -> Iterator[Picture]:
    """Yield one figure if the sweep varied alpha."""
    view = result.whole
    pool, curve_of = curves(view)
    if not curve_of:
        return
    lists = {name: view.score(view.rows[place]) for name, place in view.singles.items()}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for number, (family, curve) in enumerate(curve_of.items()):
            alphas, *shares = np.array(curve).T
            share, low, high = 100 * np.array(shares)
            color, marker = color_and_marker(number)
            axes.fill_between(alphas, low, high, color=color, alpha=0.15, lw=0)
            axes.plot(alphas, share, marker=marker, color=color, label=family)
        for (name, score), dashes in zip(lists.items(), itertools.cycle(DASHES), strict=False):
            axes.axhline(100 * score, color="black", lw=0.8, linestyle=dashes, label=name)
        figure.legend(loc="outside upper center", ncols=3)

    mixed = f" in fusions of {' and '.join(pool)}" if len(pool) > 1 else ""
    title = f"{view.objective} by alpha, {pool[0]}'s share{mixed}"
    unit = "question" if not view.deciding else "cluster of questions that share gold passages"
    bands = f" Bands: its 95% Wilson interval by {unit}." if _has_bands(curve_of) else ""
    notes = (
        "Each point is the best trial of a fuser at that alpha, over its other knobs."
        f"{bands} Lines without points: single lists."
    )
    axes = f"alpha (share of {pool[0]})", f"{view.objective} (%)"
    yield Picture("alpha", title, draw, 2.7, notes, view.half, *axes)


def _has_bands(curves: Mapping[str, Sequence[Point]]) -> bool:
    return any(np.isfinite(point).all() for points in curves.values() for point in points)


def curves(view: View) -> tuple[Pair, dict[str, list[Point]]]:
    """Return the two lists of the best trial that has an alpha, the one with share alpha first, and
    the sorted points of each fuser on these lists; no points if the sweep did not vary alpha.
    """
    rows = [row for row in view.rows if row.parameters.get("fuser.alpha") is not None]
    pairs = {row.trial: pair(row, view.reference) for row in rows}
    pool = pairs[max(rows, key=view.score).trial] if rows else ()
    best: dict[str, dict[float, JudgedTrial]] = {}
    for row in sorted(rows, key=view.score):
        if pairs[row.trial] == pool:
            best.setdefault(row.family, {})[row.parameters["fuser.alpha"]] = row
    if not any(len(curve) > 1 for curve in best.values()):
        return pool, {}
    points: dict[str, list[Point]] = {}
    for family, curve in sorted(best.items()):
        for alpha, row in sorted(curve.items()):
            low, high = row.wilson_cluster or (np.nan, np.nan)
            points.setdefault(family, []).append((alpha, view.score(row), low, high))
    return pool, points


def pair(row: JudgedTrial, reference: str) -> Pair:
    """Return the two lists of a row, the one with share alpha first; the reference alone for a row
    that names no two lists.
    """
    lists = row.lists
    if len(lists) != 2:
        return (reference,)
    anchor = row.parameters.get("reference") or default_anchor(lists)
    return tuple(sorted(lists, key=lambda name: name != anchor))
