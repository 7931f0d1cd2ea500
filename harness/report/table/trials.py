"""The columns of a trial, described once, and the tables that select among them.

A column that is added to ``trial_fields``, with the places that show it, is in every table of
trials, in every format, and in MLflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from harness.core.table import WINNER, Column, Field, Table, counted
from harness.evaluation.column import MCNEMAR, SIGN, judged, won_lost
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View

Face = Literal["screen", "explained", "paper", "best_list", "metrics", "leaderboard", "tracker"]
"""The places that show a column: the terminal (short, and with explain=true), the table of a paper,
three further tables of a report, and MLflow. The full tables (site, notebook) have every column.
"""
EVERYWHERE: tuple[Face, ...] = (
    "screen",
    "explained",
    "paper",
    "best_list",
    "metrics",
    "leaderboard",
)
JUDGED: tuple[Face, ...] = ("screen", "explained", "paper", "tracker")
BEST = ("W", "L", "Holm p")
"""The columns that are also shown against the best single list, with a star."""
LEADING = 2
"""Number of metrics other than the objective before W and L."""


def trial_fields(result: SweepResult, view: View) -> list[Field[int]]:
    """Return the columns of a trial in their order.

    Args:
        result: the sweep.
        view: its trials on one split.

    Returns:
        A field for each column, which reads the index of a row of the view. The column's name is
        its key in trials.parquet and in MLflow.
    """
    leading, others = further_metrics(result)
    scored: tuple[Face, ...] = ("screen", "explained", "paper", "leaderboard", "tracker")
    objective = _field(view, f"{view.objective} %", view.objective, scored)
    method = f"95% Wilson{view.deciding}"
    interval = Column(method, "interval", of=objective.column.title, name="wilson")
    fields = [
        Field(Column("strategy", "text", name="name"), view.named, faces=EVERYWHERE),
        objective,
        Field(
            interval,
            lambda place: view.rows[place].wilson_cluster,
            view.metric.binary and view is not result.whole,
            JUDGED,
        ),
    ]
    for number, name in enumerate(leading):
        faces: tuple[Face, ...] = ("explained", "tracker")
        faces += ("screen",) if number == 0 else ()
        faces += ("paper",) if name in view.usual_metrics else ("metrics",)
        fields.append(_field(view, f"{name} %", name, faces))
    fields += _against(view, view.reference, ["W", "L", "p"], JUDGED)
    has_wins = has_graph(view) and any(row.graph_win is not None for row in view.rows)
    if has_wins and not counts_graph_wins(view):
        faces = ("screen", "explained", "metrics", "tracker")
        fields.append(_field(view, "GraphWin", "graph_win", faces, "count"))
        fields.append(_field(view, "GraphLoss", "graph_loss", faces, "count"))
    fields += _against(view, view.reference, ["Holm p"], JUDGED)
    titles = ["difference", "95% of difference"]
    fields += _against(view, view.reference, titles, ("tracker",))
    fields += _against(view, view.best_single, BEST, ("explained", "best_list"), "*")
    fields += _against(view, view.best_single, titles, ("best_list",), "*")
    for name in others:
        fields.append(_field(view, f"{name} %", name, ("explained", "metrics", "tracker")))
    return fields


def trial_table(
    name: str, result: SweepResult, view: View, places: Sequence[int], face: Face | None = None
) -> Table:
    """Return the table of some trials, a row for each; the winner is marked.

    Args:
        name: name of the table.
        result: the sweep.
        view: its trials on one split.
        places: indices of the rows in the view.
        face: the place that shows the table; None: every column.
    """
    marked = frozenset(row for row, place in enumerate(places) if place == view.best_place)
    fields = [field for field in trial_fields(result, view) if face is None or face in field.faces]
    if face == "paper":
        fields = [replace(field, column=in_paper(field.column, view)) for field in fields]
    judged = (
        f"{against(view)} {caption.correction(view, view.reference)}; difference: from "
        f"{view.reference}, in points. {decided(view)}"
    )
    has_wins = any(field.column.name == "wins" for field in fields)
    notes = [f"{judged if has_wins else ''}{winner_note(view)}"]
    title = f"The trials on {view.half}"
    table = Table.of(name, title, fields, places, caption.source(view), notes, marked)
    lowest = () if view.metric.higher_is_better else [f"{view.objective} %"]
    return table.with_best(lowest)


def tracked_names(result: SweepResult, view: View) -> list[str]:
    """Return the names of the columns that become metrics of MLflow, the objective first."""
    fields = trial_fields(result, view)
    return [field.column.name for field in fields if "tracker" in field.faces]


def heldout(result: SweepResult, face: Face | None = None) -> Table:
    """Return the locked trials, best first; the full table also has the objective on chains."""
    view = result.locked
    table = trial_table("heldout", result, view, view.best_first, face)
    chain = view.queries["chain"].to_numpy(dtype=bool)
    if face or not chain.any():
        return table
    on_chains = view.scores[:, chain].mean(axis=1)
    rows = [
        [*row, on_chains[place]] for row, place in zip(table.rows, view.best_first, strict=True)
    ]
    questions = counted(int(chain.sum()), "question")
    note = f"Chain: {view.objective} on the {questions} whose gold passages are a chain."
    columns = [*table.columns, Column("chain %")]
    return replace(table, columns=columns, rows=rows, notes=[*table.notes, note])


def leaderboard(result: SweepResult, limit: int | None = None, face: Face | None = None) -> Table:
    """Return the trials on tune, best first.

    Args:
        result: the sweep.
        limit: the number of best trials that differ from all before them; the single lists and the
            best trial of each fuser are added. None: all trials.
        face: the place that shows the table; None: every column.
    """
    view = result.whole
    best = {view.best_place, *view.fusers}
    shown = [
        place
        for place in range(len(view.rows))
        if limit is None or place in best or not view.repeats[place]
    ]
    places = sorted({*shown[:limit], *best, *view.singles.values()})
    table = trial_table("leaderboard", result, view, places, face)
    table = table.behind(Column("rank", "count"), [place + 1 for place in places])
    note = f"{len(places)} of {counted(len(view.rows), 'trial')}{_copies(view, limit)}."
    return replace(table, notes=[note, *table.notes])


def winner_note(view: View) -> str:
    """Return the sentences on bold numbers and on the sign of the winner."""
    return f"Bold: the best of a column. {WINNER}: the winner on tune, {view.winner_title}."


def in_paper(column: Column, view: View) -> Column:
    """Return the column with the head that it has in the table of a paper."""
    heads = {
        "p": "p (McNemar)" if view.metric.binary else "p (sign flips)",
        "p_holm": "Holm p by cluster" if view.deciding else "Holm p",
    }
    if counts_graph_wins(view):
        heads |= {"wins": "GraphWin", "losses": "GraphLoss"}
    else:
        heads |= {"wins": "Win", "losses": "Loss"}
    return replace(column, title=heads.get(column.name, column.title))


def has_graph(view: View) -> bool:
    """Return whether a list is made from a graph, or has a graph's name."""
    lists = view.manifest.get("lists") or {}
    return any(
        "graph" in (lists.get(name) or {}) or "graph" in name.lower() for name in view.singles
    )


def counts_graph_wins(view: View) -> bool:
    """Return whether W and L are GraphWin and GraphLoss: by last_hop, against dense, in a sweep
    with a graph list.
    """
    dense = "dense" if "dense" in view.singles else view.reference
    return has_graph(view) and view.metric.name == "last_hop" and view.reference == dense


def further_metrics(result: SweepResult) -> tuple[list[str], list[str]]:
    """Return the metrics other than the objective: those before W and L, and all others.

    full_sup and recall at the objective's depth come first, then the other metrics of that depth.
    """
    view = result.whole
    depth = str(view.metric.k or 5)
    metrics = sorted(result.metrics, key=lambda name: name.partition("@")[2] != depth)
    names = [
        name
        for name in dict.fromkeys([*view.usual_metrics, *metrics])
        if name in metrics and name != view.objective
    ]
    return names[:LEADING], names[LEADING:]


def decided(view: View) -> str:
    """Return the part of a caption on p and intervals by cluster; empty if no two questions share
    gold.
    """
    clusters = "clusters of questions that share gold passages"
    return {
        " by cluster": f"Holm p and intervals by cluster: whole {clusters} change sides. ",
        " (too few clusters)": f"No Holm p and no interval: too few {clusters}. ",
    }.get(view.deciding, "")


def against(view: View) -> str:
    """Return the sentence that explains W, L and p, and the columns with a star."""
    heads = ("W (GraphWin)", "L (GraphLoss)") if counts_graph_wins(view) else ("W", "L")
    counts = won_lost("the strategy", view.reference, *heads)
    best = view.best_single or "no list"
    star = f"W*, L*, Holm p*: the same against {best}, the best single list on tune"
    return f"{counts}; {MCNEMAR if view.metric.binary else SIGN}; {star}."


def _field(
    view: View,
    title: str,
    name: str,
    faces: Iterable[Face],
    kind: Literal["share", "text", "count"] = "share",
) -> Field[int]:
    """Return the column of a row's value with that name."""
    return Field(
        Column(title, kind, name=name),
        lambda place: view.rows[place].record[name],
        faces=tuple(faces),
    )


def _against(
    view: View,
    baseline: str | None,
    titles: Sequence[str],
    faces: tuple[Face, ...],
    mark: str = "",
) -> list[Field[int]]:
    """Return columns of the comparison with a single list; mark: suffix of the titles."""
    fields: list[Field[int]] = judged(
        lambda place: view.outcome(place, baseline), *titles, mark=mark
    )
    return [replace(field, faces=faces) for field in fields]


def _copies(view: View, limit: int | None) -> str:
    """Return how many trials have the gold ranks of another; empty if none has."""
    copies = sum(first < place for place, first in enumerate(view.originals))
    left = " and are left out" if limit else ""
    text = f" ({copies} have the same gold ranks as one above{left}; Holm p counts them)"
    return text if copies else ""
