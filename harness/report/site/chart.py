"""Figures as data: a page draws them, and shows the values of what is pointed at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.core.table import interval, percent
from harness.report.figure.alpha import curves
from harness.report.figure.frontier import outcomes as won_and_lost
from harness.report.figure.outcomes import compare, counts
from harness.report.site.chunk import Content
from harness.report.table.ceiling import MEANING, capped_pools
from harness.report.table.cost import frontier
from harness.report.table.headroom import lost_by_winner
from harness.report.table.knobs import explained, in_order, pair_name, short_names, shown_pairs, value_text
from harness.sweep.folder import Row, SweepResult, View
from harness.sweep.judge import Effect, of_view

Chart = Content
"""``kind`` (scatter, line, bar, parallel), ``title``, ``caption``, ``x`` and ``y`` (labels), ``series``: a name and
points ``[x, y, what it is, trial or None]`` each; of a bar x is a word. ``band``: of a line, ``[low, high]`` a point.
``decimals`` of y. ``rules``: horizontal lines by name. ``edge``: a line of steps. Of parallel coordinates ``axes`` (a
name and its values in words) and ``lines``: a number of each axis (-1: it has none), the score in percent, what it is,
the trial."""


def charts(result: SweepResult) -> Iterator[Chart]:
    """The charts that this sweep has data for."""
    yield from _knobs(result)
    yield from _outcomes(result)
    yield from _losses(result)
    yield from _alpha(result)
    yield from _frontier(result)
    yield from _ceiling(result)


def _knobs(result: SweepResult) -> Iterator[Chart]:
    """Every trial as a line through the values of its knobs, and what each knob explains."""
    view, found = result.whole, of_view(result.whole)
    if not found.main:
        return
    names = short_names(found)
    yield {
        "kind": "parallel",
        "title": "Every trial by its knobs",
        "caption": f"A line is a fusion, the stronger the higher its {view.objective}; orange: the winner. The knob "
        "that explains most comes first; –: the fusion has no such knob. Choose a value to see the fusions that have "
        f"it; point at a line to read it, choose it to open it. {view.where}.",
        "y": f"{view.objective} (%)",
        "axes": [[names[one.knobs[0]], list(map(value_text, in_order(one)))] for one in found.main],
        "lines": [_line(view, view.rows[place], found.main) for place in view.fused],
        "winner": view.winner,
    }
    bars = [(names[one.knobs[0]], one.share, f"; best value {value_text(one.levels[0].value)}") for one in found.main]
    bars += [(pair_name(one, names), one.share, "") for one in shown_pairs(found)]
    points = [[name, 100 * share, f"{percent(share)}% of the variance{best}", None] for name, share, best in bars]
    yield {
        "kind": "bar",
        "decimals": 1,
        "title": "Which knob matters",
        "caption": f"{explained(view, found)} {view.where}.",
        "x": f"% of the variance of {view.objective}",
        "series": [{"name": "", "points": points}],
    }


def _line(view: View, row: Row, knobs: Sequence[Effect]) -> list[Any]:
    """A trial's place on each axis, its score, and what it is."""
    own = row["parameters"]
    places = [in_order(one).index(own[one.knobs[0]]) if one.knobs[0] in own else -1 for one in knobs]
    return [*places, 100 * view.score(row), f"{row['name']}: {percent(view.score(row))}%", row["trial"]]


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
        reach = [
            [cap, 100 * share, f"cap {cap}: ceiling {percent(share)}", None]
            for cap, _, share, _, _ in mine
            if share is not None
        ]
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
