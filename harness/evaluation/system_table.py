"""Compared runs as a paper has them: systems by metrics with signs where a difference is shown; a matrix of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from harness.core.table import Column, Style, Table, shown
from harness.evaluation.system_comparison import SystemComparison, source_of

SIGNS = "†‡"
"""Of one baseline: better, worse. Of several: a letter each, small for better, capital for worse."""


def system_table(found: Sequence[SystemComparison]) -> Table:
    """Baselines, then runs, by metrics in percent; below a system that ran several times the sd of its runs.

    A sign stands where p is at most .05 after Holm's correction over all comparisons; bold is the highest score of a
    column where it is shown to be better than all that it was compared with.
    """
    baselines = list(dict.fromkeys(one.baseline for one in found))
    systems = list(dict.fromkeys([*baselines, *(one.name for one in found)]))
    metrics = list(dict.fromkeys(str(one.metric) for one in found))
    sds = {(name, str(one.metric)): runs for one in found for name, runs in one.repeats.items()}
    rows: list[list[Any]] = []
    places: dict[str, int] = {}
    for name in systems:
        places[name] = len(rows)
        rows.append([name])
        if (name, metrics[0]) in sds:
            runs = [sds[name, metric] for metric in metrics]
            rows.append([f"(mean of {len(runs[0].means)}, sd)", *(one.sd for one in runs)])
    scores: dict[tuple[str, str], float] = {}
    better: dict[tuple[str, str], list[bool]] = {}
    marks: dict[tuple[int, int], str] = {}
    for one in found:
        metric, differs = str(one.metric), shown(one.p_holm)
        for name, score, won in (
            (one.name, one.score, one.difference > 0),
            (one.baseline, one.baseline_score, one.difference < 0),
        ):
            scores[name, metric] = score
            better.setdefault((name, metric), []).append(differs and won)
        if differs:
            place = places[one.name], 1 + metrics.index(metric)
            marks[place] = marks.get(place, "") + _sign(baselines, one)
    best = frozenset(
        (places[name], 1 + metrics.index(metric))
        for (name, metric), all_of in better.items()
        if all(all_of) and scores[name, metric] == max(scores[other, metric] for other in systems)
    )
    rules = frozenset({places[systems[len(baselines)]]} if len(baselines) < len(systems) else ())
    scale = found[0].scale
    title = f"{', '.join(metrics)}{' in percent' if scale.share else ''}"
    notes = [
        _legend(baselines, marks),
        "Bold: the highest, where it is shown to be better than all others." if best else "",
    ]
    columns = [Column("system", "text"), *(scale.column(metric) for metric in metrics)]
    for name, row in places.items():
        rows[row] += [scores[name, metric] for metric in metrics]
    style = Style(best, marks=marks, rules=rules)
    source = source_of(found)
    return Table("results", title, columns, rows, source, list(filter(None, notes)), style=style)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Runs by baselines and metrics: what a terminal, LaTeX and a page show of several baselines.

    found: the comparisons; a pair that is not among them is an empty cell.
    """

    found: Sequence[SystemComparison]

    @cached_property
    def runs(self) -> list[str]:
        """The rows."""
        return list(dict.fromkeys(one.name for one in self.found))

    @cached_property
    def heads(self) -> list[tuple[str, str]]:
        """The columns: a baseline and a metric each."""
        return list(dict.fromkeys((one.baseline, str(one.metric)) for one in self.found))

    @cached_property
    def titles(self) -> list[str]:
        """Of the columns: the metric is named where there are several."""
        several = len({metric for _, metric in self.heads}) > 1
        return [f"{name}, {metric}" if several else name for name, metric in self.heads]

    @cached_property
    def title(self) -> str:
        """What is shown."""
        metrics = ", ".join(dict.fromkeys(metric for _, metric in self.heads))
        unit = "Points" if self.found[0].scale.share else "Difference"
        return f"{unit} of {metrics} over each baseline"

    def rows(self) -> list[list[SystemComparison | None]]:
        """The comparisons of each run, by column."""
        cells = {(one.name, one.baseline, str(one.metric)): one for one in self.found}
        return [[cells.get((run, *head)) for head in self.heads] for run in self.runs]

    def table(self) -> Table:
        """Of each pair the difference, won, lost, and p after Holm's correction; a group of columns a baseline."""
        difference = self.found[0].scale.column("difference", "points")
        each = (difference, Column("W", "count"), Column("L", "count"), Column("Holm p", "p"))
        columns = [Column("run", "text"), *(replace(one, group=f"over {name}") for name in self.titles for one in each)]
        rows, marks = [], {}
        for number, (run, cells) in enumerate(zip(self.runs, self.rows(), strict=True)):
            rows.append([run, *(value for one in cells for value in _cells(one))])
            for place, one in enumerate(cells):
                if one is not None and shown(one.p_holm):
                    marks[number, 1 + len(each) * place] = "*"
        notes = [
            f"W and L: {self.found[0].scale.item}s won and lost; Holm p: over all {len(self.found)} comparisons; "
            "*: at most .05."
        ]
        source, style = source_of(self.found), Style(marks=marks)
        return Table("matrix", self.title, columns, rows, source, notes, style=style, grouping="baseline")


def _cells(one: SystemComparison | None) -> list[Any]:
    return [None] * 4 if one is None else [one.difference, one.wins, one.losses, one.p_holm]


def _sign(baselines: Sequence[str], one: SystemComparison) -> str:
    won = one.difference > 0
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
        said = ", ".join(f"{sign} {word} than {baselines[0]}" for sign, word in words.items() if sign in used)
    else:
        letters = ", ".join(f"{chr(ord('a') + place)} {name}" for place, name in enumerate(baselines[:26]))
        said = f"better than {letters}" + ("; capital letters: worse" if used != used.lower() else "")
    return f"p at most .05 after Holm's correction over all comparisons: {said}."
