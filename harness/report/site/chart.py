"""Figures as data: a page draws them, and shows the values of what is pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.core.table import interval, percent
from harness.report.figure.alpha import curves
from harness.report.figure.frontier import outcomes as won_and_lost
from harness.report.figure.outcomes import compare, counts
from harness.report.table.ceiling import MEANING, capped_pools
from harness.report.table.cost import frontier
from harness.report.table.headroom import lost_by_winner
from harness.sweep.folder import Row, SweepResult

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
    if not (lost := lost_by_winner(view)):
        return
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
    series = []
    for family, curve in curves(view).items():
        points = [
            [alpha, 100 * share, f"{family}, alpha {alpha:g}: {percent(share)} ({interval((low, high))})", None]
            for alpha, share, low, high in curve
        ]
        band = [[100 * low, 100 * high] for _, _, low, high in curve]
        series.append({"name": family, "points": points, **({"band": band} if view.metric.binary else {})})
    if not series:
        return
    yield {
        "kind": "line",
        "decimals": 1,
        "title": f"{view.objective} by alpha",
        "caption": f"At each share alpha of {view.reference} the best trial of each fuser over its other knobs, with "
        f"95% Wilson intervals; dashed: single lists. {view.where}.",
        "x": "alpha",
        "y": f"{view.objective} (%)",
        "series": series,
        "rules": [[name, 100 * view.score(view.rows[place])] for name, place in view.singles.items()],
    }


def _frontier(result: SweepResult) -> Iterator[Chart]:
    view = result.whole
    known = won_and_lost(view)
    if not known:
        return

    def point(lost: int, won: int, row: Row) -> list[Any]:
        return [lost, won, f"{row['name']}: {won} won, {lost} lost, {percent(view.score(row))}", row["trial"]]

    yield {
        "kind": "scatter",
        "title": f"Wins and losses of all trials against {view.reference}",
        "caption": f"{view.objective}: {view.where}. Line: the frontier, trials that no other beats in both. "
        "Point at one to read it, choose it to open it.",
        "x": f"lost to {view.reference}",
        "y": f"won against {view.reference}",
        "series": [{"name": name, "points": [point(*one) for one in mine]} for name, mine in known.items()],
        "edge": frontier([(lost, won) for mine in known.values() for lost, won, _ in mine]),
    }


def _ceiling(result: SweepResult) -> Iterator[Chart]:
    view = result.whole
    for lists, mine in capped_pools(view).items():
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
            "caption": f"Ceiling: {MEANING}. {view.where}.",
            "x": "pool.cap (passages of each capped list)",
            "y": "questions (%)",
            "series": [{"name": "ceiling", "points": reach}, {"name": f"best {view.objective}", "points": best}],
        }
