"""The first page: the leaderboard, every sweep in a line, and the folders that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from harness.core.table import Column, Table
from harness.report.display import Display
from harness.report.site.chunk import Content, table
from harness.report.site.leaderboard import SweepEntry, boards
from harness.report.table.replication import findings
from harness.sweep.folder import SweepResult, View

DIFFERENCE = [
    Column("best list", "text"), Column("difference", "points"), Column("95% of difference", "span", "difference"),
    Column("p", "p"), Column("lost to it", "count"),
]  # fmt: skip


def overview(listed: Sequence[SweepEntry], unread: Mapping[str, str], version: str, display: Display) -> Content:
    """The content of the first page."""
    return {
        "version": version,
        "boards": boards(listed, display),
        "sweeps": _sweeps(listed, display),
        "findings": [display.text(line) for line in findings(one.result for one in listed if not one.newer)],
        "unread": [[name, reason] for name, reason in unread.items()],
    }


def views(result: SweepResult) -> list[View]:
    """What the site shows of a sweep: all trials on tune and, only after a held-out run, the locked ones on test."""
    return [result.whole, *([result.test] if result.test else [])]


def families(found: Iterable[str], display: Display) -> dict[str, str]:
    """The names of some families of fusers in words."""
    return {name: "Single list" if name == "single" else display.strategy(name, None) for name in sorted(found)}


def _sweeps(listed: Sequence[SweepEntry], display: Display) -> Content:
    """A row a sweep: its winner, and how that differs from the best single list; with the address of the lost ones."""
    metrics = list(dict.fromkeys(str(one.result.manifest["objective"]) for one in listed))
    columns = [Column("sweep", "text"), Column("split", "text"), Column("n", "count"), Column("winner", "text"),
               *(Column(f"{metric} %") for metric in metrics), *DIFFERENCE]  # fmt: skip
    rows, places = [], []
    for one in listed:
        view, named = one.result.locked, display.of([one.result])
        best = str(view.best_single)
        found, score = view.winner_against(best), view.score(view.rows[view.winner_place])
        numbers: list[Any] = [found and found.difference, found and found.interval, found and found.p_deciding]
        scores = [score if metric == view.objective else None for metric in metrics]
        head = [one.title, view.split, view.n, named.cell(view.winner_name), *scores]
        rows.append([*head, named.cell(best), *numbers, found and found.losses])
        winner = view.rows[view.best_place]["trial"]
        rival = view.rows[view.singles[best]]["trial"] if found else ""
        places.append([one.key, view.split, winner, rival, one.newer])
    return {**table(Table("sweeps", "Sweeps", columns, rows), display), "places": places}
