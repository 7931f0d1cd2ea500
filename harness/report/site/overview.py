"""The first page: every sweep in a few words, the locked strategies of all, and the folders that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.core.table import Column, Table, percent
from harness.evaluation.comparison import compare_trials
from harness.evaluation.conclusion import choose
from harness.report.console.conclusions import sentences
from harness.report.display import Display
from harness.report.site.chunk import table
from harness.report.table.replication import findings
from harness.sweep.folder import Row, SweepResult, View, deciding, learned, lists_read, locked_trials

COLUMNS = [
    Column("strategy", "text"), Column("benchmark", "text"), Column("split", "text"), Column("n", "count"),
    Column("score %"), Column("95% of score", "interval", "score %"), Column("W", "count"),
    Column("L", "count"), Column("p", "p"), Column("Holm p", "p"),
    Column("settings", "text"), Column("seconds", "value"), Column("metric", "text"),
    Column("sweep", "text"),
]  # fmt: skip


@dataclass(frozen=True)
class SweepEntry:
    """A sweep on the site. newer: whether a later one has the same title."""

    key: str
    title: str
    result: SweepResult
    newer: bool


def overview(listed: list[SweepEntry], unread: Mapping[str, str], version: str, display: Display) -> dict[str, Any]:
    """The content of the first page."""
    found = []
    for one in listed:
        named = display.of([one.result])
        fitted, roles = learned(one.result.lock), locked_trials(one.result.lock)
        for view in filter(None, (one.result.test, one.result.tune)):
            for row in view.rows:
                settings = _settings(one.result, row, roles.get(row["trial"], []), bool(fitted.get(row["trial"])))
                place = [one.key, view.split, row["trial"], row["family"], one.newer]
                won = row["trial"] == view.rows[view.best_place]["trial"]
                found.append((_row(one, view, row, settings, named), place, won))
    found.sort(key=lambda line: (line[0][1], line[0][2] != "test", -line[0][4]))
    rows, places = [row for row, _, _ in found], [place for _, place, _ in found]
    marked = frozenset(number for number, (_, _, won) in enumerate(found) if won)
    board = Table("leaderboard", "Leaderboard", COLUMNS, rows, marked=marked)
    objectives = dict.fromkeys(str(one.result.manifest["objective"]) for one in listed)
    if len(objectives) == 1:
        board = board.select([column.title for column in COLUMNS if column.title != "metric"])
    return {
        "version": version,
        "sweeps": [_sweep(one, display.of([one.result])) for one in listed],
        "leaderboard": {**table(board, display), "places": places},
        "families": families({str(place[3]) for place in places}, display),
        "findings": [display.text(line) for line in findings(one.result for one in listed if not one.newer)],
        "metrics": [display.text(name) for name in objectives],
        "unread": [[name, reason] for name, reason in unread.items()],
    }


def views(result: SweepResult) -> list[View]:
    """What the site shows of a sweep: all trials on tune and, only after a held-out run, the locked ones on test."""
    return [result.whole, *([result.test] if result.test else [])]


def families(found: Iterable[str], display: Display) -> dict[str, str]:
    """The names of some families of fusers in words."""
    return {name: "Single list" if name == "single" else display.strategy(name, None) for name in sorted(found)}


def seconds(result: SweepResult, row: Row) -> float | None:
    """What the lists that a strategy reads took when they were made; None where the sweep does not say."""
    taken = ((result.manifest.get("cost") or {}).get("seconds") or {}).get("lists") or {}
    names = lists_read(row)
    return sum(taken[name] for name in names) if names and all(name in taken for name in names) else None


def _row(one: SweepEntry, view: View, row: Row, settings: str, display: Display) -> list[Any]:
    return [
        display.trial(row), view.dataset, view.split, row["n"], view.score(row), row.get("wilson_cluster"),
        row["wins"], row["losses"], row["p"], deciding(row), settings,
        seconds(one.result, row), view.objective, one.title,
    ]  # fmt: skip


def _settings(result: SweepResult, row: Row, roles: list[str], learns: bool) -> str:
    """How a strategy came to its numbers: of its lists, if their weights were fitted; else of its own knobs."""
    known = result.manifest.get("fitted") or {}
    on = dict.fromkeys(name for each in lists_read(row) if each in known for name in known[each]["on"])
    if on:
        return f"lists fitted on {', '.join(on)}"
    return "fitted on tune" if learns else "fixed before" if "baseline" in roles else "chosen on tune"


def _sweep(one: SweepEntry, display: Display) -> dict[str, Any]:
    view = one.result.locked
    said = choose(sentences(one.result, view), "compared", "verdict", "expectation", "caveat")
    return {
        "key": one.key,
        "title": display.text(one.title),
        "dataset": display.text(view.dataset),
        "newer": one.newer,
        "split": view.split,
        "winner": {
            "trial": view.rows[view.best_place]["trial"],
            "name": display.cell(view.winner_title),
        },
        "words": [display.text(text) for text in said],
        "missed": int((view.scores[view.winner_place] <= 0).sum()),
        "against": _against(view, display),
        "chart": _scores(view, display),
    }


def _scores(view: View, display: Display) -> dict[str, Any]:
    """A chart of the objective of the winner and of every list alone, best first."""
    shown = [view.rows[place] for place in sorted({view.best_place, *view.singles.values()})]
    points = [
        [display.trial(row), round(100 * view.score(row), 1), f"{percent(view.score(row))}%", row["trial"]]
        for row in sorted(shown, key=lambda row: -view.score(row))
    ]
    name = display.text(view.objective)
    caption = f"{name} of the winner and of every list alone: {display.text(view.where)}."
    series = [{"name": "", "points": points}]
    return {"kind": "bar", "title": f"{name} (%)", "caption": caption, "x": "percent", "decimals": 1, "series": series}


def _against(view: View, display: Display) -> list[dict[str, Any]]:
    """The winner against the reference and the best single list on tune."""
    found = []
    for name, place in view.rivals.items():
        values = view.scores[[view.winner_place, place]]
        pair = compare_trials(values, 1, view.metric.binary, view.margin, view.clusters)[0]
        if pair is not None:
            found.append(
                {
                    "name": display.cell(name),
                    "trial": view.rows[place]["trial"],
                    "wins": pair.wins,
                    "losses": pair.losses,
                    "p": pair.p_deciding,
                    "by": pair.ruling.how or "by question",
                }
            )
    return found
