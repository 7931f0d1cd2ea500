"""The table of compared runs for a paper: systems by metrics, with signs for differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.core.table import Column, Style, Table
from harness.evaluation.system_comparison import SystemComparison, source_of

Cell = tuple[str, str]
"""A system and a metric."""
BOLD = "Bold: the highest, if it is shown to be better than all others."
SIGNS = "†‡"
"""With one baseline: better, worse. With several, each has a letter: small for better, capital for
worse.
"""


def system_table(found: Sequence[SystemComparison]) -> Table:
    """Return baselines, then runs, by metrics; a system with several runs has a row with their sd.

    A sign marks a p of .05 or less after Holm's correction over all comparisons. The highest score
    of a column is bold if it is shown to be better than all systems that it was compared with.
    """
    baselines = list(dict.fromkeys(one.baseline for one in found))
    systems = list(dict.fromkeys([*baselines, *(one.name for one in found)]))
    metrics = list(dict.fromkeys(str(one.metric) for one in found))
    sides = _sides(found)
    rows, places = _rows(found, systems, metrics, {cell: score for cell, score, _ in sides})
    cells = {
        (name, metric): (places[name], 1 + column)
        for name in systems
        for column, metric in enumerate(metrics)
    }
    marks = {cells[cell]: signs for cell, signs in _signs(found, baselines).items()}
    best = frozenset(cells[cell] for cell in _best(sides))
    rules = frozenset(places[name] for name in systems[len(baselines) :][:1])
    scale = found[0].scale
    title = f"{', '.join(metrics)}{' in percent' if scale.share else ''}"
    notes = [_legend(baselines, marks), *[BOLD] * bool(best)]
    columns = [Column("system", "text"), *(scale.column(metric) for metric in metrics)]
    style = Style(best, marks=marks, rules=rules)
    return Table("results", title, columns, rows, source_of(found), notes, style=style)


def _rows(
    found: Sequence[SystemComparison],
    systems: Sequence[str],
    metrics: Sequence[str],
    scores: Mapping[Cell, float],
) -> tuple[list[list[Any]], dict[str, int]]:
    """Return the scores and sd of each system, and the row of each system."""
    repeats = {(name, str(one.metric)): runs for one in found for name, runs in one.repeats.items()}
    rows: list[list[Any]] = []
    places: dict[str, int] = {}
    for name in systems:
        places[name] = len(rows)
        rows.append([name, *(scores[name, metric] for metric in metrics)])
        if (name, metrics[0]) in repeats:
            runs = [repeats[name, metric] for metric in metrics]
            rows.append([f"(mean of {len(runs[0].means)}, sd)", *(one.sd for one in runs)])
    return rows, places


def _sides(found: Sequence[SystemComparison]) -> list[tuple[Cell, float, bool]]:
    """Return both systems of each comparison: the cell, the score, and whether it is better."""
    ours = [((one.name, str(one.metric)), one.score, one.finding == "better") for one in found]
    theirs = [
        ((one.baseline, str(one.metric)), one.baseline_score, one.finding == "worse")
        for one in found
    ]
    return [*ours, *theirs]


def _best(sides: Sequence[tuple[Cell, float, bool]]) -> set[Cell]:
    """Return the highest score of each metric that is better than all compared with it."""
    highest: dict[str, float] = {}
    for (_, metric), score, _ in sides:
        highest[metric] = max(score, highest.get(metric, score))
    beaten = {cell for cell, score, better in sides if not better or score < highest[cell[1]]}
    return {cell for cell, _, _ in sides} - beaten


def _signs(found: Sequence[SystemComparison], baselines: Sequence[str]) -> dict[Cell, str]:
    """Return by run and metric the signs of the baselines that the run differs from."""
    signs: dict[Cell, str] = {}
    for one in found:
        if one.finding != "even":
            cell = one.name, str(one.metric)
            signs[cell] = signs.get(cell, "") + _sign(baselines, one)
    return signs


def _sign(baselines: Sequence[str], one: SystemComparison) -> str:
    won = one.finding == "better"
    if len(baselines) == 1:
        return SIGNS[0] if won else SIGNS[1]
    letter = chr(ord("a") + baselines.index(one.baseline) % 26)
    return letter if won else letter.upper()


def _legend(baselines: Sequence[str], marks: dict[tuple[int, int], str]) -> str:
    used = "".join(marks.values())
    if not used:
        return "No difference is significant."
    if len(baselines) == 1:
        words = dict(zip(SIGNS, ("better", "worse"), strict=True))
        said = ", ".join(
            f"{sign} {word} than {baselines[0]}" for sign, word in words.items() if sign in used
        )
    else:
        letters = ", ".join(
            f"{chr(ord('a') + place)} {name}" for place, name in enumerate(baselines[:26])
        )
        said = f"better than {letters}" + (
            "; capital letters: worse" if used != used.lower() else ""
        )
    return f"p at most .05 after Holm's correction over all comparisons: {said}."
