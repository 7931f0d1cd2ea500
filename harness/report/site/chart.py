"""Figures as data: a page draws them, and shows the values of what is pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.core.table import interval, percent
from harness.evaluation.statistic import wilson
from harness.report.figure.alpha import curves
from harness.report.figure.frontier import frontier
from harness.report.figure.outcomes import compare, counts
from harness.report.table.ceiling import ceilings
from harness.report.table.headroom import losses
from harness.sweep.folder import SweepResult

Chart = dict[str, Any]
"""``kind`` (scatter, line, bar), ``title``, ``caption``, ``x`` and ``y`` (labels), ``series``: a name and points
``[x, y, what it is, trial or None]`` each; of a bar x is a word. ``band``: of a line, ``[low, high]`` a point.
``decimals`` of y.
``rules``: horizontal lines by name. ``edge``: a line of steps."""


def charts(result: SweepResult) -> Iterator[Chart]:
    """The charts that this sweep has data for."""
    yield from _outcomes(result)
    yield from _losses(result)
    yield from _alpha(result)
    yield from _frontier(result)
    yield from _ceiling(result)


def _outcomes(result: SweepResult) -> Iterator[Chart]:
    view = result.locked
    for name, place in view.rivals.items():
        found = counts(compare(view, place))
        words = {
            "both": "both find",
            "neither": "neither finds",
            "win": "only the winner finds",
            "loss": f"only {name} finds",
        }
        points = [[words[key], count, f"{count} of {view.n} questions", None] for key, count in found.items()]
        yield {
            "kind": "bar",
            "title": f"Winner against {name}, question by question",
            "caption": f"{view.objective} of {view.winner_name} and {name}: {view.where}.",
            "x": "questions",
            "series": [{"name": "", "points": points}],
        }


def _losses(result: SweepResult) -> Iterator[Chart]:
    view = result.locked
    if view.winner_place not in view.fused or not view.metric.binary or not view.singles:
        return
    lost = {reason: int(queries.sum()) for reason, queries in losses(view, view.winner_place).items()}
    found = view.n - sum(lost.values())
    words = {
        "no list has it": "no list has it",
        "cut by the cap": "cut by the pool's cap",
        "outranked": "other passages outrank it",
    }
    points = [["found", found], *([words.get(reason, reason), count] for reason, count in lost.items())]
    yield {
        "kind": "bar",
        "title": "Where the winner loses questions",
        "caption": f"{view.objective} of {view.winner_name}: {view.where}.",
        "x": "questions",
        "series": [{"name": "", "points": [[*one, f"{one[1]} of {view.n} questions", None] for one in points]}],
    }


def _alpha(result: SweepResult) -> Iterator[Chart]:
    view = result.whole
    best = curves(view)
    if not any(len(curve) > 1 for curve in best.values()):
        return
    series = []
    for family, curve in best.items():
        ends = {alpha: wilson(round(share * view.n), view.n) for alpha, share in curve.items()}
        points = [
            [
                alpha,
                100 * curve[alpha],
                f"{family}, alpha {alpha:g}: {percent(curve[alpha])} ({interval(ends[alpha])})",
                None,
            ]
            for alpha in sorted(curve)
        ]
        band = [[100 * low, 100 * high] for _, (low, high) in sorted(ends.items())]
        series.append({"name": family, "points": points, **({"band": band} if view.metric.binary else {})})
    yield {
        "kind": "line",
        "decimals": 1,
        "title": f"{view.objective} by alpha",
        "caption": f"At each share alpha of {result.reference} the best trial of each fuser over its other knobs, with "
        f"95% Wilson intervals; dashed: single lists. {view.where}.",
        "x": "alpha",
        "y": f"{view.objective} (%)",
        "series": series,
        "rules": [[name, 100 * view.score(view.rows[place])] for name, place in view.singles.items()],
    }


def _frontier(result: SweepResult) -> Iterator[Chart]:
    view = result.whole
    judged = [(row, row["wins"], row["losses"]) for row in view.rows]
    known = [(row, wins, lost) for row, wins, lost in judged if wins is not None and lost is not None]
    if not known:
        return
    families: dict[str, list[Any]] = {}
    for row, wins, lost in known:
        told = f"{row['name']}: {wins} won, {lost} lost, {percent(view.score(row))}"
        families.setdefault(row["family"], []).append([lost, wins, told, row["trial"]])
    yield {
        "kind": "scatter",
        "title": f"Wins and losses of all trials against {view.reference}",
        "caption": f"{view.objective}: {view.where}. Line: the frontier, trials that no other beats in both. "
        "Point at one to read it, choose it to open it.",
        "x": f"lost to {view.reference}",
        "y": f"won against {view.reference}",
        "series": [{"name": name, "points": points} for name, points in sorted(families.items())],
        "edge": frontier([(lost, wins) for _, wins, lost in known]),
    }


def _ceiling(result: SweepResult) -> Iterator[Chart]:
    rows, objective = ceilings(result.whole), result.whole.objective
    for lists in dict.fromkeys(row[1] for row in rows):
        mine = [row for row in rows if row[1] == lists]
        if len(mine) < 2:
            continue
        reach = [[cap, 100 * share, f"cap {cap}: ceiling {percent(share)}", None] for cap, _, share, _, _ in mine]
        best = [
            [cap, 100 * score, f"cap {cap}: {name}, {percent(score)}", None]
            for cap, _, _, name, score in mine
            if score is not None
        ]
        yield {
            "kind": "line",
            "decimals": 1,
            "title": f"Ceiling of the pool of {lists}, and what was reached",
            "caption": f"Ceiling: the share of questions whose last gold passage is in the pool. {result.whole.where}.",
            "x": "pool.cap (passages of each capped list)",
            "y": "questions (%)",
            "series": [{"name": "ceiling", "points": reach}, {"name": f"best {objective}", "points": best}],
        }
