"""The tables of a sweep in a report, except that of a paper."""

from __future__ import annotations

from dataclasses import replace

from harness.core.table import WINNER, Column, Table
from harness.report.table.ablation import ablation
from harness.report.table.ceiling import ceiling
from harness.report.table.headroom import headroom
from harness.report.table.hops import labelled
from harness.report.table.knobs import knobs
from harness.report.table.list_costs import cost
from harness.report.table.trials import decided, leaderboard, trial_table
from harness.sweep.folder import SweepResult, View, caption


def build_tables(result: SweepResult) -> list[Table]:
    """Return all further tables of a sweep; no two have the same columns."""
    view = result.locked
    places = view.best_first
    versus = trial_table("best_list", result, view, places, "best_list")
    note = (
        f"W*, L*, difference* in points with a 95% interval, and Holm p*: against "
        f"{view.best_single}, the best list on tune. {view.correction(str(view.best_single))}. "
        f"{decided(view)}{WINNER}: the winner on tune, {view.winner_title}."
    )
    title = f"The locked trials against single lists on {view.half}"
    tables = [replace(versus, title=title, notes=[note])]
    metrics = trial_table("metrics", result, view, places, "metrics")
    if len(metrics.columns) > 1:
        title = f"The other metrics on {view.half}"
        note = f"Bold: the best of a column. {WINNER}: the winner on tune, {view.winner_title}."
        tables.append(replace(metrics, title=title, notes=[note]))
    return [
        *tables,
        leaderboard(result, 10, "leaderboard"),
        by_type(view),
        *ablation(view),
        *knobs(result.whole),
        *ceiling(result.whole),
        *headroom(view),
        *cost(result.whole),
    ]


def by_type(view: View) -> Table:
    """Return the objective of each locked trial by question type."""
    members = labelled(view, "type")
    titles = [f"{name.removeprefix('type ')} (n={len(member)})" for name, member in members.items()]
    columns = [Column("strategy", "text"), Column(f"all (n={view.n})"), *map(Column, titles)]
    groups = [slice(None), *members.values()]
    rows = [
        [view.named(place), *(view.scores[place][member].mean() for member in groups)]
        for place in view.best_first
    ]
    marked = frozenset({view.best_first.index(view.best_place)})
    notes = [f"Bold: the best of a column. {WINNER}: the winner on tune, {view.winner_title}."]
    title = f"{view.objective} in percent by question type on {view.half}"
    table = Table("by_type", title, columns, rows, caption.source(view), notes, marked)
    return table.with_best(() if view.metric.higher_is_better else [one.title for one in columns])
