"""The trials of a sweep as tables: one description of a trial's columns, and selections of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from harness.core.table import Column, Field, Style, Table, counted
from harness.evaluation.conclusion import judged
from harness.report.table.ablation import ablation
from harness.report.table.ceiling import ceiling
from harness.report.table.cost import cost
from harness.report.table.effect import effect, labelled
from harness.report.table.headroom import headroom
from harness.report.table.knobs import knobs
from harness.sweep.folder import SweepResult, View, rerun

BEST = ("W", "L", "Holm p")
"""What is shown against the best single list, with a star."""
LEADING = 2
"""Metrics beside the objective that stand before W and L."""
AGAINST = (
    "W and L{known}: questions that the strategy finds and {reference} does not, and the "
    "reverse; p: raw, {test} by question; W*, L*, Holm p*: the same against {best}, the best "
    "single list on tune."
)


def build_tables(result: SweepResult) -> list[Table]:
    """What a sweep has data for beside the table of a paper; no two have the same columns."""
    view = result.locked
    trials = trial_table("trials", result, view, view.best_first)
    leading, rest = _shared(result)
    main = view.usual_metrics
    others = [f"{name} %" for name in (*leading, *rest) if name not in main]
    others += [title for title in ("GraphWin", "GraphLoss") if title in trials.titles]
    against = ["difference", "95% of difference", *(f"{title}*" for title in BEST)]
    board = leaderboard(result, 10)
    first = board.titles[: board.titles.index("strategy") + 2]
    return [
        replace(
            trials.select(["strategy", *against]),
            name="best_list",
            title=f"The locked trials against single lists on {view.half}",
            notes=[
                f"Difference from {view.reference} in points, 95% score interval; W*, L*, Holm p*: "
                f"against {view.best_single}, the best single list on tune. {decided(view)}"
            ],
        ),
        *(
            [
                replace(
                    trials.select(["strategy", *others]),
                    name="metrics",
                    title=f"The other metrics on {view.half}",
                    notes=(),
                )
            ]
            if others
            else []
        ),
        board.select([*first, "W", "L", "Holm p"]),
        by_group(view, "type"),
        *effect(view),
        *ablation(view),
        *knobs(result.whole),
        *ceiling(result.whole),
        *headroom(view),
        *cost(result.whole),
    ]


def trial_table(
    name: str, result: SweepResult, view: View, places: Sequence[int], interval: bool = True
) -> Table:
    """All that is shown of trials, a row each; the winner is marked.

    places: of the rows in the view.    interval: whether the score has one.
    """
    notes = [
        against(view),
        f"Holm p: corrected over all that was compared on {view.split}{view.charge}; difference: "
        f"from {view.reference}, in points, 95% score interval; {decided(view)}"
        f"Bold: the winner that was locked on tune{view.disguise}.",
    ]
    marked = frozenset(row for row, place in enumerate(places) if place == view.best_place)
    commands = [rerun(view.rows[place]) for place in places]
    fields, title = _columns(result, view, interval), f"The trials on {view.half}"
    return Table.of(name, title, fields, places, view.source, notes, marked, commands)


def heldout(result: SweepResult) -> Table:
    """The locked trials, best first; of those on test also the objective on chains alone."""
    view = result.locked
    table = trial_table("heldout", result, view, view.best_first)
    chain = view.queries["chain"].to_numpy(dtype=bool)
    if not chain.any():
        return table
    on_chains = view.scores[:, chain].mean(axis=1)
    rows = [
        [*row, on_chains[place]] for row, place in zip(table.rows, view.best_first, strict=True)
    ]
    questions = counted(int(chain.sum()), "question")
    note = f"Chain: {view.objective} on the {questions} whose gold passages are a chain."
    columns = [*table.columns, Column("chain %")]
    return replace(table, columns=columns, rows=rows, notes=[*table.notes, note])


def leaderboard(result: SweepResult, limit: int | None = None) -> Table:
    """The trials on tune, best first; with a limit, those that copy none before, the single lists,
    what was added.
    """
    view = result.whole
    places = range(len(view.rows))
    repeats = [
        limit is not None and (view.copies[place] or view.is_winner(place)) for place in places
    ]
    shown = [place for place in places if not repeats[place] or place == view.best_place]
    kept = sorted({*shown[:limit], *view.singles.values(), *view.added.values()})
    table = trial_table("leaderboard", result, view, kept, interval=False)
    rows = [[place + 1, *row] for place, row in zip(kept, table.rows, strict=True)]
    note = f"{len(kept)} of {counted(len(view.rows), 'trial')}{_copies(view, limit)}."
    columns = [Column("rank", "count"), *table.columns]
    return replace(table, columns=columns, rows=rows, notes=[note, *table.notes])


def _copies(view: View, limit: int | None) -> str:
    """How many trials have the gold ranks of another; nothing where none has."""
    copies = sum(view.copies)
    left = " and are left out" if limit else ""
    told = f" ({copies} have the same gold ranks as one above{left}; Holm p counts them)"
    return told if copies else ""


def by_group(view: View, group: str) -> Table:
    """The objective of each locked trial, by hop count or question type."""
    members = labelled(view, group)
    titles = [f"{name.removeprefix('type ')} (n={len(member)})" for name, member in members.items()]
    columns = [Column("strategy", "text"), Column(f"all (n={view.n})"), *map(Column, titles)]
    rows = [
        [row["name"], score.mean(), *(score[member].mean() for member in members.values())]
        for row, score in zip(view.rows, view.scores, strict=True)
    ]
    what = "hop count" if group == "hops" else "question type"
    best = frozenset(
        (number, place)
        for place in range(1, len(columns))
        for number, row in enumerate(rows)
        if row[place] == max(other[place] for other in rows)
    )
    notes = [
        f"Bold: the best of each column. The winner that was locked on tune: {view.winner_name}."
    ]
    title = f"{view.objective} in percent by {what} on {view.half}"
    return Table(f"by_{group}", title, columns, rows, view.source, notes, style=Style(best))


def decided(view: View) -> str:
    """For captions: that p and intervals are by cluster, or why there are none; nothing where no
    two queries share.
    """
    told = {
        " by cluster": "Holm p and intervals by cluster: whole clusters of questions that share gold passages "  # noqa: E501
        "change sides; ",
        " (too few clusters)": "no Holm p and no interval: too few clusters of questions that share gold passages; ",  # noqa: E501
    }
    return told.get(view.deciding, "")


def _shared(result: SweepResult) -> tuple[list[str], list[str]]:
    """The configuration's metrics beside the objective: two before W and L (full_sup and recall at
    its depth), the others, those of that depth first, behind all comparisons.
    """
    view = result.whole
    own = sorted(result.metrics, key=lambda name: name.partition("@")[2] != str(view.metric.k or 5))
    names = [
        name
        for name in dict.fromkeys([*view.usual_metrics, *own])
        if name in own and name != view.objective
    ]
    return names[:LEADING], names[LEADING:]


def counts_graph_wins(view: View) -> bool:
    """Whether W and L are GraphWin and GraphLoss: counted on last_hop, against dense."""
    return view.metric.name == "last_hop" and view.reference == (
        "dense" if "dense" in view.singles else view.reference
    )


def _cell(view: View, column: Column, key: str, shown: bool = True) -> Field[int]:
    """A column of what rows have under a key, by their place."""
    rows = cast("Sequence[dict[str, object]]", view.rows)
    return Field(column, lambda place: rows[place].get(key), shown)


def interval_title(view: View) -> str:
    """The head of a score's interval, which says by what it is."""
    return "95% by cluster" if view.deciding else "95% (Wilson)"


def _columns(result: SweepResult, view: View, intervals: bool) -> list[Field[int]]:
    """What is shown of a trial, on tune and on test, in this order: a column that is added here is
    added everywhere.
    """
    first, others = _shared(result)
    score = Column(f"{view.objective} %")
    interval = Column(interval_title(view), "interval", score.title)
    known = {key for row in view.rows for key in row}
    counts = {} if counts_graph_wins(view) else {"GraphWin": "graph_win", "GraphLoss": "graph_loss"}

    def reference(*titles: str) -> list[Field[int]]:
        return judged(lambda place: view.outcome(place, view.reference), *titles)

    return [
        _cell(view, Column("strategy", "text"), "name"),
        _cell(view, score, view.objective),
        Field(interval, lambda place: _interval(view, place), intervals and view.metric.binary),
        *(_cell(view, Column(f"{name} %"), name) for name in first),
        *reference("W", "L", "p"),
        *(_cell(view, Column(title, "count"), key, key in known) for title, key in counts.items()),
        *reference("Holm p"),
        *judged(lambda place: view.outcome(place, view.best_single), *BEST, mark="*"),
        *reference("difference", "95% of difference"),
        *(_cell(view, Column(f"{name} %"), name) for name in others),
    ]


def _interval(view: View, place: int) -> tuple[float, float] | None:
    """Of the objective; None of too few clusters."""
    own = view.compare(place, place)
    return None if own.too_few else own.wilson_cluster


def against(view: View) -> str:
    """For captions: what W, L, p and their likes against the best list are."""
    known = " (GraphWin and GraphLoss)" if counts_graph_wins(view) else ""
    test = "exact two-sided McNemar" if view.metric.binary else "sign test"
    best = view.best_single or "no list"
    return AGAINST.format(best=best, reference=view.reference, known=known, test=test)
