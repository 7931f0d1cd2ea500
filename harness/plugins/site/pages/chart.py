"""Figures as data: a page draws them, and shows the values of what is pointed at.

Titles, notes and axes are those of the figures of the report; only the points are made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.core.table import counted, interval, percent
from harness.plugins.site.pages.chunk import Content
from harness.report.figure import Picture, alpha, ceiling, frontier, knobs, outcomes
from harness.report.table import (
    capped_pools,
    lost_by_winner,
    pair_name,
    short_names,
    shown_pairs,
    value_text,
)
from harness.report.table import frontier as edge_of
from harness.sweep.folder import Row, SweepResult
from harness.sweep.judge import of_view

Chart = Content
"""``kind`` (scatter, line, bar), ``title``, ``caption``, ``x`` and ``y`` (labels),
``series``: a name and points ``[x, y, what it is, trial or None]`` each; of a bar x is a word.
``shades``: the place of each bar's colour in the palette. ``band``: of a line, ``[low, high]`` a
point. ``decimals`` of y. ``rules``: horizontal lines by name.
``edge``: a line of steps. ``winner``: its trial, a star.
"""
POINTING = "Point at a mark to read it; click it to open the trial."


def charts(result: SweepResult) -> Iterator[Chart]:
    """The charts that this sweep has data for."""
    yield from _knobs(result)
    yield from _outcomes(result)
    yield from _losses(result)
    yield from _alpha(result)
    yield from _frontier(result)
    yield from _ceiling(result)


def _chart(
    kind: str, picture: Picture, series: Sequence[Mapping[str, Any]], said: str = "", **more: Any
) -> Chart:
    """A figure of the report with its points.    said: before the data are named.    more: what
    else the chart has.
    """
    caption = " ".join(filter(None, [picture.notes, said, f"{picture.of}."]))
    labels = {"title": picture.title, "caption": caption, "x": picture.x, "y": picture.y}
    return {"kind": kind, **labels, "series": list(series), **more}


def _bars(
    picture: Picture, bars: Sequence[Sequence[Any]], shades: Sequence[int], **more: Any
) -> Chart:
    """bars: a word, a number and what it is."""
    series = [{"name": "", "points": [[*bar, None] for bar in bars]}]
    return _chart("bar", picture, series, shades=list(shades), **more)


def _knobs(result: SweepResult) -> Iterator[Chart]:
    """Yield how much of the variance each knob explains."""
    found = of_view(result.whole)
    names = short_names(found)
    for picture in knobs.pictures(result):
        shares = [
            (names[one.knobs[0]], one, f"; best value {value_text(one.levels[0].value)}")
            for one in found.main
        ]
        shares += [(pair_name(one, names), one, "") for one in shown_pairs(found)]
        bars = [
            (name, 100 * one.share, f"{percent(one.share)}% of the variance{best}")
            for name, one, best in shares
        ]
        shades = [knobs.SHADES[len(one.knobs) > 1] for _, one, _ in shares]
        yield _bars(picture, bars, shades, decimals=1)


def _outcomes(result: SweepResult) -> Iterator[Chart]:
    view = result.locked
    for picture, (name, place) in zip(outcomes.pictures(result), view.rivals.items(), strict=True):
        words = {
            "both": "both find",
            "neither": "neither finds",
            "win": "only the winner",
            "loss": f"only {name}",
        }
        found = outcomes.counts(outcomes.compare(view, place))
        bars = [
            (words[key], count, f"{count} of {counted(view.n, 'question')}")
            for key, count in found.items()
        ]
        yield _bars(picture, bars, [outcomes.SHADES[key] for key in found])


def _losses(result: SweepResult) -> Iterator[Chart]:
    view = result.locked
    if not (lost := lost_by_winner(view)):
        return
    words = {"cut by the cap": "cut by the pool's cap", "outranked": "other passages outrank it"}
    counts = {"found": view.n - sum(lost.values()), **lost}
    of = counted(view.n, "question")
    bars = [
        (words.get(reason, reason), count, f"{count} of {of}") for reason, count in counts.items()
    ]
    series = [{"name": "", "points": [[*bar, None] for bar in bars]}]
    yield {
        "kind": "bar",
        "title": "Where the winner loses questions",
        "caption": f"{view.objective} of {view.winner_name}: {view.where}.",
        "x": "questions",
        "series": series,
        "shades": [outcomes.SHADES["both"], *[outcomes.SHADES["loss"]] * len(lost)],
    }


def _alpha(result: SweepResult) -> Iterator[Chart]:
    view = result.whole
    for picture in alpha.pictures(result):
        series = []
        for family, curve in alpha.curves(view).items():
            points = [
                [
                    at,
                    100 * share,
                    f"{family}, alpha {at:g}: {percent(share)} ({interval((low, high))})",
                    None,
                ]
                for at, share, low, high in curve
            ]
            band = [[100 * low, 100 * high] for _, _, low, high in curve]
            series.append(
                {"name": family, "points": points, **({"band": band} if view.metric.binary else {})}
            )
        rules = [[name, 100 * view.score(view.rows[place])] for name, place in view.singles.items()]
        yield _chart("line", picture, series, decimals=1, rules=rules)


def _frontier(result: SweepResult) -> Iterator[Chart]:
    view, known = result.whole, frontier.outcomes(result.whole)

    def point(lost: int, won: int, row: Row) -> list[Any]:
        return [
            lost,
            won,
            f"{row['name']}: {won} won, {lost} lost, {percent(view.score(row))}",
            row["trial"],
        ]

    for picture in frontier.pictures(result):
        series = [
            {"name": name, "points": [point(*one) for one in mine]} for name, mine in known.items()
        ]
        edge = edge_of([(lost, won) for mine in known.values() for lost, won, _ in mine])
        yield _chart("scatter", picture, series, POINTING, edge=edge, winner=view.winner)


def _ceiling(result: SweepResult) -> Iterator[Chart]:
    pools = capped_pools(result.whole)
    for picture, mine in zip(ceiling.pictures(result), pools.values(), strict=True):
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
        names = "ceiling", f"best {result.whole.objective}"
        series = [
            {"name": name, "points": points}
            for name, points in zip(names, (reach, best), strict=True)
        ]
        yield _chart("line", picture, series, decimals=1)
