"""The first page: the leaderboard, every sweep in a line, and the folders that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.core.table import Column, Table
from harness.plugins.site.pages.chunk import Content, table
from harness.plugins.site.pages.leaderboard import SweepEntry, boards
from harness.report.display import Display
from harness.report.table import findings
from harness.sweep.folder import SweepResult, View

DIFFERENCE = [
    Column("best list", "text"),
    Column("difference", "points"),
    Column("95% of difference", "span", "difference"),
    Column("p", "p"),
    Column("lost to it", "count"),
]


def overview(
    listed: Sequence[SweepEntry], unread: Mapping[str, str], version: str, display: Display
) -> Content:
    """The content of the first page."""
    return {
        "version": version,
        "boards": boards(listed, display),
        "sweeps": _sweeps(listed, display),
        "findings": [
            display.text(line) for line in findings(one.result for one in listed if not one.newer)
        ],
        "unread": [[name, reason] for name, reason in unread.items()],
    }


def views(result: SweepResult) -> list[View]:
    """What the site shows of a sweep: all trials on tune and, only after a held-out run, the locked
    ones on test.
    """
    return [result.whole, *([result.test] if result.test else [])]


def families(found: Iterable[str], display: Display) -> dict[str, str]:
    """The names of some families of fusers in words."""
    return {
        name: "Single list" if name == "single" else display.strategy(name, None)
        for name in sorted(found)
    }


def _sweeps(listed: Sequence[SweepEntry], display: Display) -> Content:
    """A row a sweep: its winner, and how that differs from the best single list; with the address
    of the lost ones.
    """
    metrics = list(dict.fromkeys(str(one.result.manifest["objective"]) for one in listed))
    columns = [
        Column("sweep", "text"),
        Column("split", "text"),
        Column("n", "count"),
        Column("winner", "text"),
        *(Column(f"{metric} %") for metric in metrics),
        *DIFFERENCE,
    ]
    rows = [_row(one, metrics, display.of([one.result])) for one in listed]
    return {
        **table(Table("sweeps", "Sweeps", columns, rows), display),
        "places": [_place(one) for one in listed],
    }


def _row(one: SweepEntry, metrics: Sequence[str], named: Display) -> list[Any]:
    """named: with the names of its trials."""
    view = one.result.locked
    found, score = view.winner_against(view.best_single), view.score(view.rows[view.winner_place])
    scores = [score if metric == view.objective else None for metric in metrics]
    compared = (
        [found.difference, found.interval, found.p_deciding, found.losses] if found else [None] * 4
    )
    winner, best = (named.cell(name) for name in (view.winner_name, str(view.best_single)))
    return [one.title, view.split, view.n, winner, *scores, best, *compared]


def _place(one: SweepEntry) -> list[Any]:
    """The address of the questions that the winner loses to the best list; without the list where
    it is that.
    """
    view = one.result.locked
    winner = view.rows[view.best_place]["trial"]
    lost_to = view.best_single if view.winner_against(view.best_single) else None
    rival = view.rows[view.singles[lost_to]]["trial"] if lost_to else ""
    return [one.key, view.split, winner, rival, one.newer]
