"""The table of a paper, what was locked in each sweep, and the winner by hop count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from harness.core.table import Column, Source, Style, Table, shown
from harness.evaluation.comparison import Comparison
from harness.evaluation.metric import groups
from harness.evaluation.statistic import smallest_effect
from harness.report.display import Display, normalizer_of
from harness.report.table.tables import counts_graph_wins, interval_title, trial_table
from harness.sweep.folder import SweepResult, View, differing

MOST = 12
"""Rows of a sweep."""
BETTER, WORSE = "†", "‡"


def main(results: Sequence[SweepResult], display: Display) -> list[Table]:
    """The locked trials of each sweep: lists, untuned fusions, the best trial of each fuser.

    Args:
        results: the sweeps, a group of rows each.
        display: the names of fusers, normalizers, lists and benchmarks.

    Returns:
        One table; where sweeps have different objectives or references, one of each kind.
    """
    kinds: dict[tuple[str, str], list[SweepResult]] = {}
    for result in results:
        kinds.setdefault((result.locked.objective, result.locked.reference), []).append(result)
    return [_main(own, display) for own in kinds.values()]


def _main(results: Sequence[SweepResult], display: Display) -> Table:
    parts = [_part(result, display) for result in results]
    names = _group_names(results, display)
    views = [result.locked for result in results]
    rows: list[list[Any]] = []
    marked: set[int] = set()
    rules: set[int] = set()
    marks: dict[tuple[int, int], str] = {}
    grouped = len(parts) > 1
    for name, part in zip(names, parts, strict=True):
        start = len(rows)
        marked |= {start + row for row in part.marked}
        rules |= {start + row for row in part.style.rules} | {start}
        marks |= {(start + row, at + grouped): one for (row, at), one in part.style.marks.items()}
        rows += [[name, *row] if grouped else [*row] for row in part.rows]
    shared = any(view.deciding for view in views)
    heads = _heads(views[0], shared)
    columns = [
        replace(column, title=heads.get(column.title, column.title), of=heads.get(column.of, ""))
        for column in parts[0].columns
    ]
    columns = [Column("benchmark", "text"), *columns] if grouped else columns
    k = views[0].metric.k
    metrics = [name for name in parts[0].titles if name.endswith(f"@{k} %")] or parts[0].titles[1:2]
    title = (
        f"{_listed([name.removesuffix(' %') for name in metrics])} on "
        f"{_listed([*dict.fromkeys(view.half for view in views)])}"
    )
    style = Style(marks=marks, rules=frozenset(rules - {0}))
    source = Source(notes=views[0].source.notes if len(views) == 1 else ())
    notes = _notes(views, display, set(marks.values()), shared)
    table = Table("main", title, columns, rows, source, notes, frozenset(marked), style=style)
    return replace(table, banded=grouped)


def _part(result: SweepResult, display: Display) -> Table:
    """The rows of one sweep, at most ``MOST``, each trial once; of a winner that ranks as a list
    does, that list.
    """
    view, lock = result.locked, result.lock
    untuned = [one["trial"] for one in lock["baselines"] if one["family"] != "single"]
    wanted = [*untuned, *(one["trial"] for one in lock["fusers"])]
    found = dict.fromkeys(view.place(trial) for trial in wanted)
    fused = [
        place
        for place in found
        if place is not None and (place == view.best_place or not view.is_winner(place))
    ]
    kept = {view.best_place, *view.rivals.values()}

    def strength(place: int) -> tuple[bool, float]:
        return place not in kept, -view.score(view.rows[place])

    best = sorted([*view.singles.values(), *fused], key=strength)[:MOST]
    singles = [place for place in best if view.rows[place]["family"] == "single"]
    tuned = [place for place in best if place not in singles]
    for group in (singles, tuned):
        group.sort(key=lambda place: -view.score(view.rows[place]))
    tuned.sort(key=lambda place: view.rows[place]["trial"] not in untuned)
    places = [*singles, *tuned]
    table = trial_table("main", result, view, places)
    metrics = [f"{name} %" for name in view.usual_metrics if f"{name} %" in table.titles]
    interval = [title for title in (interval_title(view),) if title in table.titles]
    table = table.select(["strategy", metrics[0], *interval, *metrics[1:], "W", "L", "p", "Holm p"])
    rows = [
        [_label(view, place, untuned, display), *row[1:]]
        for place, row in zip(places, table.rows, strict=True)
    ]
    marks = {
        (number, 1): sign for number, place in enumerate(places) if (sign := _sign(view, place))
    }
    rules = frozenset({len(singles)} if singles and tuned else ())
    return replace(table, rows=rows, style=Style(marks=marks, rules=rules))


def _label(view: View, place: int, untuned: Sequence[str], display: Display) -> str:
    """``PIT + Boltzmann``, ``RRF (default)``, or a list's name."""
    row = view.rows[place]
    if row["family"] == "single":
        return display.list.get(row["name"], row["name"])
    default = " (default)" if row["trial"] in untuned else ""
    return display.strategy(row["family"], normalizer_of(row)) + default


def _sign(view: View, place: int) -> str:
    """Whether a row is shown to be better or worse than the best single list on tune."""
    found = None
    if view.best_single != view.reference:
        found = view.outcome(place, view.best_single)
    if found is None or not shown(found.p_holm):
        return ""
    return BETTER if (found.difference or 0) > 0 else WORSE


def _heads(view: View, shared: bool) -> dict[str, str]:
    """What the heads of a trial's columns are in a paper.

    shared: whether questions share gold passages.
    """
    score = f"{view.objective} %"
    heads = {
        score: score,
        "p": "p (McNemar)" if view.metric.binary else "p (sign test)",
        "95% (Wilson)": "95% by cluster" if shared else "95% (Wilson)",
        "Holm p": "Holm p by cluster" if shared else "Holm p",
    }
    counts = {"W": "GraphWin", "L": "GraphLoss"} if counts_graph_wins(view) else {}
    return {**heads, **counts}


def _group_names(results: Sequence[SweepResult], display: Display) -> list[str]:
    """The benchmark of each sweep; with what was typed where several are of one benchmark."""
    views = [one.locked for one in results]
    several = len({view.split for view in views}) > 1
    names = [
        display.dataset.get(view.dataset, view.dataset) + (f" ({view.split})" if several else "")
        for view in views
    ]
    if len(set(names)) == len(names):
        return names
    typed = [[*given.items()] for given in differing(results)]
    told = [
        ", ".join(f"{key}={value}" for key, value in own if key != "dataset" and value)
        for own in typed
    ]
    return [
        " ".join(filter(None, [name, own or one.folder.name]))
        for name, own, one in zip(names, told, results, strict=True)
    ]


def _notes(views: Sequence[View], display: Display, signs: set[str], shared: bool) -> list[str]:
    """What W and L are, what p is, the signs, and which evaluation it is."""
    first = views[0]
    wins, losses = ("GraphWin", "GraphLoss") if counts_graph_wins(first) else ("W", "L")
    reference = display.list.get(first.reference, first.reference)
    test = "exact McNemar" if first.metric.binary else "sign"
    lists = _listed(
        list(dict.fromkeys(display.list.get(str(v.best_single), str(v.best_single)) for v in views))
    )
    words = {BETTER: "better", WORSE: "worse"}
    told = ", ".join(f"{sign} {word}" for sign, word in words.items() if sign in signs)
    of_rows = f"corrected over {_listed([_compared(view) for view in views])} comparisons"
    evaluations = dict.fromkeys(
        f"Evaluation {view.evaluation} of test{view.charge}." for view in views if view.evaluation
    )
    return [
        f"{wins}, {losses}: questions that the strategy finds and {reference} does not, and the "
        f"reverse; p: {test} test of these by question; Holm p: "
        f"{'of the test over whole clusters of questions that share gold, ' if shared else ''}"
        f"{of_rows}. Bold: the winner chosen on tune"
        + (f"; {told} than {lists}, the best list on tune, by Holm p." if told else "."),
        *evaluations,
    ]


def _compared(view: View) -> str:
    return str(sum(one["against"] == view.reference for one in view.comparisons))


def _listed(texts: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def by_hops(view: View, display: Display) -> Table:
    """The winner on the questions of each hop count, and of three hops and more together, beside
    the smallest difference that this many questions could have shown.
    """
    members = groups(view.queries["hops"])
    parts = {f"{hops}": own for hops, own in members.items()}
    many = [own for hops, own in members.items() if int(hops) > 2]
    if len(many) > 1:
        parts["3 or more"] = np.sort(np.concatenate(many))
    reference = view.singles.get(view.reference, view.winner_place)
    found = {name: view.compare(view.winner_place, reference, own) for name, own in parts.items()}
    wins, losses = ("GraphWin", "GraphLoss") if counts_graph_wins(view) else ("W", "L")
    columns = [
        Column("hops", "text"),
        Column("n", "count"),
        Column(f"{view.objective} %"),
        Column(wins, "count"),
        Column(losses, "count"),
        Column("p (McNemar)" if view.metric.binary else "p (sign test)", "p"),
        *([Column("p by cluster", "p")] if view.deciding else []),
        Column("smallest difference (points)", "points"),
    ]
    rows = [[name, *_of_hops(one, bool(view.deciding))] for name, one in found.items()]
    name = display.list.get(view.reference, view.reference)
    notes = [
        f"{wins}, {losses}: questions that the winner finds and {name} does not, and the reverse. "
        "Smallest difference: the net share of wins that the exact test by question finds in 4 of "
        "5 cases, with this n and this share of questions won or lost; a dash where none is."
    ]
    rules = frozenset({len(parts) - 1} if "3 or more" in parts else ())
    title = f"{view.winner_name} by number of hops on {view.half}"
    style = Style(rules=rules)
    return Table("by_hops", title, columns, rows, Source(), notes, style=style)


def _of_hops(one: Comparison, shared: bool) -> list[Any]:
    discordance = (one.wins + one.losses) / one.n
    smallest = smallest_effect(one.n, discordance) if discordance else None
    deciding = [one.p_deciding] if shared else []
    return [one.n, one.score, one.wins, one.losses, one.p, *deciding, smallest]
