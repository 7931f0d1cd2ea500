"""The first page: every sweep in a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from harness.core.table import Column, Field, Table
from harness.evaluation.column import judged
from harness.evaluation.paired_comparison import Comparison
from harness.plugins.site.pages.chunk import Content, table
from harness.report.display import Display
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View


@dataclass(frozen=True)
class SweepEntry:
    """A sweep on the site; key: the name of its folder there."""

    key: str
    result: SweepResult


def overview(listed: Sequence[SweepEntry], version: str, display: Display) -> Content:
    """Return the content of the first page."""
    return {"version": version, "sweeps": _sweeps(listed, display)}


def views(result: SweepResult) -> list[View]:
    """Return the views of a sweep: all trials on tune and, after a held-out run, the locked ones on
    test.
    """
    return [result.whole, *([result.test] if result.test else [])]


def families(names: Iterable[str], display: Display) -> dict[str, str]:
    """Return the names of families of fusers in words."""
    return {
        name: "Single list" if name == "single" else display.strategy(name, None)
        for name in sorted(names)
    }


def _sweeps(listed: Sequence[SweepEntry], display: Display) -> Content:
    """Return the table of sweeps, with the address of the questions that each winner lost."""
    metrics = dict.fromkeys(str(entry.result.manifest["objective"]) for entry in listed)
    named = {entry.key: display.of([entry.result]) for entry in listed}
    fields: list[Field[SweepEntry]] = [
        Field(Column("sweep", "text"), lambda entry: entry.result.title),
        Field(Column("split", "text"), lambda entry: entry.result.locked.split),
        Field(Column("n", "count"), lambda entry: entry.result.locked.n),
        Field(
            Column("winner", "text"),
            lambda entry: named[entry.key].cell(entry.result.locked.winner_title),
        ),
        *(Field(Column(f"{name} %"), partial(_score, name)) for name in metrics),
        Field(
            Column("best list", "text"),
            lambda entry: named[entry.key].cell(str(entry.result.locked.best_single)),
        ),
        *judged(_against_best, "difference", "95% of difference", "deciding p", "L"),
    ]
    return {
        **table(Table.of("sweeps", "Sweeps", fields, listed), display),
        "places": [_place(entry) for entry in listed],
    }


def _score(metric: str, entry: SweepEntry) -> float | None:
    view = entry.result.locked
    return view.score(view.rows[view.winner_place]) if metric == view.objective else None


def _against_best(entry: SweepEntry) -> Comparison | None:
    view = entry.result.locked
    return view.winner_against(view.best_single)


def _place(entry: SweepEntry) -> list[object]:
    """Return the address of the questions that the winner loses to the best list, if it differs."""
    view = entry.result.locked
    rival = ""
    if view.best_single and _against_best(entry):
        rival = view.rows[view.singles[view.best_single]].trial
    return [entry.key, view.split, view.winner, rival]
