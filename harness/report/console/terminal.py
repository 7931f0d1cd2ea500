"""The tables that commands print: plain text, 100 to 120 columns."""

from __future__ import annotations

import textwrap

from harness.core.table import Table, percent
from harness.report.console.conclusions import conclusions
from harness.report.table import tables
from harness.sweep.folder import SweepResult, View

WIDEST = 54


def leaderboard(result: SweepResult, rows: int = 15) -> str:
    """The ranked table of a sweep: the first rows, every single list below them, the winner marked."""
    table = tables.leaderboard(result, rows)
    view = result.whole
    winner = view.rows[view.winner_place]
    wilson = tables.wilson_of(winner, view)
    interval = f" (95% {percent(wilson[0])} to {percent(wilson[1])})" if wilson else ""
    chosen = ["rank", "strategy", *_scores(table), "W", "L", "p", "Holm p", "max p"]
    shown = table.select(chosen).lines(WIDEST)
    return "\n".join(
        [
            *shown[: 2 + rows],
            *([f"{'...':>6}"] if len(shown) > 2 + rows else []),
            *shown[2 + rows :],
            "",
            f"winner  {view.winner_title}: {view.objective} {percent(winner[view.objective])}{interval}",
            _facts(view, len(result.trials)),
            *_copies(view),
            f"W, L: queries won and lost against {view.reference}; best single list: {result.lock.get('best_single')}",
            "p: raw, exact McNemar by query; Holm p: over all trials; max p: over all trials at once",
            *_sentences(result),
        ]
    )


def heldout(result: SweepResult) -> str:
    """The locked trials on test."""
    table = tables.heldout(result)
    view = result.locked
    chosen = ["strategy", *_scores(table), "95% interval", "W", "L", "p", "Holm p", "W*", "L*", "p*"]
    return "\n".join(
        [
            *table.select(chosen).lines(WIDEST),
            "",
            _facts(view, len(view.rows)),
            f"p: raw, exact McNemar by query; Holm p: over these rows; W, L: against {view.reference}; "
            f"W*, L*, p*: against {result.lock.get('best_single')}, the best single list on tune; > marks the winner",
            *_sentences(result),
        ]
    )


def _sentences(result: SweepResult) -> list[str]:
    return [
        line
        for heading, text in conclusions(result).items()
        for line in ("", *textwrap.wrap(f"{heading}: {text}", 110, subsequent_indent="  "))
    ]


def _facts(view: View, trials: int) -> str:
    evaluation = f", evaluation {view.evaluation}{view.look}" if view.evaluation else ""
    split = view.split if view.splitting == "md5" else f"{view.split} ({view.splitting})"
    data = (
        f"data    {view.dataset}, split {split}, n={view.n} queries{view.unordered()}{evaluation}, {trials} trials, "
        f"sha256 {view.data_sha256[:12]}; scores in percent"
    )
    return "\n".join([data, *(f"WARNING {line}" for line in view.warnings)])


def _copies(view: View) -> list[str]:
    copies = sum(view.copies)
    told = f"copies  {copies} trials have the gold ranks of one before them and are left out of the rows above"
    return [f"{told}; Holm p counts them, max p does not"] if copies else []


def _scores(table: Table) -> list[str]:
    return [column.title for column in table.columns if column.kind == "share" and column.title != "chain %"]
