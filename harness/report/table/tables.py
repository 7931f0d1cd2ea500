"""The tables of a sweep: held-out, leaderboard, by hop count and type, effect, fusers, headroom."""

from __future__ import annotations

from collections.abc import Sequence
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
    "reverse; p: raw, exact "
    "two-sided McNemar by question; W*, L*, Holm p*: the same against {best}, the best single "
    "list on tune."
)


def build_tables(result: SweepResult) -> list[Table]:
    """All tables that this sweep has data for, in the order of the report."""
    return [
        *([heldout(result)] if result.test else []),
        leaderboard(result, 20),
        by_group(result.locked, "hops"),
        by_group(result.locked, "type"),
        *effect(result.locked),
        *ablation(result.locked),
        *knobs(result.whole),
        *ceiling(result.whole),
        *headroom(result.locked),
        *cost(result.whole),
    ]


def heldout(result: SweepResult) -> Table:
    """The locked trials on test, best first, with Wilson's interval of the objective and its value
    on chains alone.
    """
    view = result.locked
    chain = view.queries["chain"].to_numpy(dtype=bool)
    on_chains = view.scores[:, chain].mean(axis=1) if chain.any() else [None] * len(view.rows)
    fields = [*_columns(result, view), Field(Column("chain %"), lambda place: on_chains[place])]
    notes = [
        against(view),
        f"Holm p: corrected over the rows{view.charge}; 95% of {view.objective}: Wilson; "
        "difference: from "
        f"{view.reference}, in points, 95% score interval; {decided(view)}chain: "
        f"{view.objective} on the "
        f"{counted(int(chain.sum()), 'question')} whose gold passages are a chain.",
        f"Bold: the winner that was locked on tune{view.disguise}.",
    ]
    commands = [rerun(view.rows[place]) for place in view.best_first]
    marked = frozenset({view.best_first.index(view.best_place)})
    return Table.of(
        "heldout",
        "The locked trials",
        fields,
        view.best_first,
        view.source,
        notes,
        marked,
        commands,
    )


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
    rank: Field[int] = Field(Column("rank", "count"), lambda place: place + 1)
    fields = [rank, *_columns(result, view)]
    marked = frozenset(number for number, place in enumerate(kept) if place == view.best_place)
    judged_against = against(view)
    notes = [
        f"{len(kept)} of {counted(len(view.rows), 'trial')}{_copies(view, limit)}.",
        f"{judged_against} Holm p: corrected over all trials; difference: from "
        f"{view.reference}, in points, 95% score interval; {decided(view)}"
        f"Bold: the winner{view.disguise}.",
    ]
    commands = [rerun(view.rows[place]) for place in kept]
    return Table.of(
        "leaderboard", "Leaderboard", fields, kept, view.source, notes, marked, commands
    )


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
    title = f"{view.objective} in percent by {what}"
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


def _columns(result: SweepResult, view: View) -> list[Field[int]]:
    """What is shown of a trial, on tune and on test, in this order: a column that is added here is
    added everywhere.
    """
    first, others = _shared(result)
    score = Column(f"{view.objective} %")
    interval = Column(f"95% of {view.objective}", "interval", score.title)
    known = {key for row in view.rows for key in row}
    counts = {} if counts_graph_wins(view) else {"GraphWin": "graph_win", "GraphLoss": "graph_loss"}

    def reference(*titles: str) -> list[Field[int]]:
        return judged(lambda place: view.outcome(place, view.reference), *titles)

    return [
        _cell(view, Column("strategy", "text"), "name"),
        _cell(view, score, view.objective),
        _cell(view, interval, "wilson_cluster", view.split == "test"),
        *(_cell(view, Column(f"{name} %"), name) for name in first),
        *reference("W", "L", "p"),
        *(_cell(view, Column(title, "count"), key, key in known) for title, key in counts.items()),
        *reference("Holm p"),
        *judged(lambda place: view.outcome(place, view.best_single), *BEST, mark="*"),
        *reference("95% of difference"),
        *(_cell(view, Column(f"{name} %"), name) for name in others),
    ]


def against(view: View) -> str:
    """For captions: what W, L, p and their likes against the best list are."""
    known = " (GraphWin and GraphLoss)" if counts_graph_wins(view) else ""
    return AGAINST.format(best=view.best_single or "no list", reference=view.reference, known=known)
