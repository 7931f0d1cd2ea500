"""The tables of a sweep in a report, except that of a paper."""

from __future__ import annotations

from dataclasses import replace

from harness.core.table import WINNER, Column, Table
from harness.report.table.ablation import ablation
from harness.report.table.ceiling import ceiling, headroom
from harness.report.table.hops import labelled
from harness.report.table.knobs import knobs
from harness.report.table.list_costs import cost
from harness.report.table.trials import decided, leaderboard, trial_table, winner_note
from harness.sweep.folder import caption
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View


def best_list(result: SweepResult) -> list[Table]:
    """Return the locked trials against the best single list; none without a list."""
    view = result.locked
    if view.best_single is None:
        return []
    table = trial_table("best_list", result, view, view.best_first, "best_list")
    note = (
        f"W*, L*, difference* in points with a 95% interval, and Holm p*: against "
        f"{view.best_single}, the best list on tune. {caption.correction(view, view.best_single)}. "
        f"{decided(view)}{WINNER}: the winner on tune, {view.winner_title}."
    )
    title = f"The locked trials against {view.best_single}, the best list on tune, on {view.half}"
    return [replace(table, title=title, notes=[note])]


def build_tables(result: SweepResult) -> list[Table]:
    """Return the tables of a sweep for its author; no two have the same columns."""
    view = result.locked
    metrics = trial_table("metrics", result, view, view.best_first, "metrics")
    metrics = replace(metrics, title=f"The other metrics on {view.half}")
    return [
        *([metrics] if len(metrics.columns) > 1 else []),
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
    rows = []
    for place in view.best_first:
        means = [view.scores[place][group].mean() for group in groups]
        rows.append([view.named(place), *means])
    marked = frozenset({view.best_first.index(view.best_place)})
    notes = [winner_note(view)]
    title = f"{view.objective} in percent by question type on {view.half}"
    table = Table("by_type", title, columns, rows, caption.source(view), notes, marked)
    lowest = () if view.metric.higher_is_better else table.titles
    return table.with_best(lowest)
