"""The tables that commands print: plain text, 100 to 120 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from harness.report import tables
from harness.report.foresight import foreseen
from harness.report.table import Table
from harness.report.text import percent
from harness.report.view import View
from harness.sweep.result import SweepResult

WIDEST = 54


def leaderboard(result: SweepResult, rows: int = 15) -> str:
    """The ranked table of a sweep: the first rows, every single list below them, the winner marked."""
    table = tables.leaderboard(result, rows)
    view = View.tune(result)
    winner = view.rows[view.winner_place()]
    wilson = tables.wilson_of(winner, view.objective)
    return "\n".join(
        [
            *_lines(table, ["rank", "strategy", *_scores(table), "W", "L", "p", "Holm p", "max p"], split=rows),
            "",
            f"winner  {winner['name']}: {view.objective} {percent(winner[view.objective])} "
            f"(95% {percent(wilson[0])} to {percent(wilson[1])})",
            _facts(view, len(result.trials)),
            "W, L: queries won and lost against dense; p: exact McNemar; max p: over all trials at once; "
            f"best single list: {result.lock.get('best_single')}",
            *_foreseen(result),
        ]
    )


def heldout(result: SweepResult) -> str:
    """The locked trials on test."""
    table = tables.heldout(result)
    view = View.heldout(result)
    chosen = ["strategy", *_scores(table), "95% interval", "W", "L", "p", "Holm p", "W*", "L*", "p*"]
    return "\n".join(
        [
            *_lines(table, chosen, split=None),
            "",
            _facts(view, len(view.rows)),
            f"W, L: against dense; W*, L*: against {result.lock.get('best_single')}, the best single list on tune; "
            "> marks the locked winner",
            *_foreseen(result),
        ]
    )


def _foreseen(result: SweepResult) -> list[str]:
    return [
        line
        for heading, text in foreseen(result).items()
        for line in ("", *textwrap.wrap(f"{heading}: {text}", 110, subsequent_indent="  "))
    ]


def _facts(view: View, trials: int) -> str:
    evaluation = f", evaluation {view.evaluation}" if view.evaluation else ""
    return (
        f"data    {view.dataset}, split {view.split}, n={view.n} queries{evaluation}, {trials} trials, "
        f"sha256 {view.data_sha256[:12]}; scores in percent"
    )


def _scores(table: Table) -> list[str]:
    return [column.title for column in table.columns if column.kind == "share" and column.title != "chain %"]


def _lines(table: Table, chosen: Sequence[str], split: int | None) -> list[str]:
    """The chosen columns, numbers to the right; a rule before the rows that are only there as single lists."""
    places = {column.title: place for place, column in enumerate(table.columns)}
    kept = [places[title] for title in chosen]
    body = [[_short(row[place]) for place in kept] for row in table.cells()]
    head = [title.removesuffix(" %") for title in chosen]
    widths = [max(len(row[number]) for row in (head, *body)) for number in range(len(kept))]
    left = {number for number, title in enumerate(chosen) if title == "strategy"}
    lines = [_line(" ", head, widths, left), "-" * (2 + sum(widths) + 2 * (len(widths) - 1))]
    for number, row in enumerate(body):
        if number == split:
            lines.append(f"  {'...':>{widths[0]}}")
        lines.append(_line(">" if number in table.marked else " ", row, widths, left))
    return lines


def _line(mark: str, cells: Sequence[str], widths: Sequence[int], left: set[int]) -> str:
    padded = [
        cell.ljust(width) if number in left else cell.rjust(width)
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"{mark} {'  '.join(padded)}".rstrip()


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 14]}…{text[-13:]}"
