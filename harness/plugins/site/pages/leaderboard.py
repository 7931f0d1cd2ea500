"""The leaderboard of all sweeps: a row per system, a column per metric of each benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, product
from operator import attrgetter
from typing import cast

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.identity import digest
from harness.core.table import Column, Field, Table, percent
from harness.evaluation.metric import Metric
from harness.evaluation.paired_comparison import Comparison, corrected
from harness.plugins.site.pages.chunk import Content, table
from harness.report.display import Display, normalizer_of
from harness.report.table import COSTS, needed, trial_fields
from harness.sweep.folder import (
    BENCHMARK,
    Row,
    SweepResult,
    View,
    graphs,
    learned,
    lists_read,
    locked_trials,
    made_by,
)

LIST, DEFAULT, TUNED, WINNER, NAMED = (
    "single list",
    "fixed fusion",
    "best of its fuser",
    "best fusion",
    "of an experiment",
)
SYSTEM = ("encoder", "extractor", "graph", "retriever", "lists")
"""Overrides that the columns of encoder and graph show."""
MADE = ("kind", "graph", "fitted on", "sweep")
"""Columns of text after the numbers; all but the first only if systems differ in them."""
NONE = "–"
Cell = tuple[str, View, int]
"""A sweep's key on the site, its locked trials, and the place of one of them."""


@dataclass(frozen=True)
class SweepEntry:
    """A sweep on the site. ``newer``: whether a later one has the same title."""

    key: str
    title: str
    result: SweepResult
    newer: bool


@dataclass
class System:
    """A row of the leaderboard.

    Args:
        kind: of the trial, such as ``single list``.
        name: of a list or a fuser.
        encoder: of its lists.
        graph: of its lists.
        fitted: benchmarks that its weights were fitted on, or ``tune``.
        sweep: overrides of its sweep besides benchmark, encoder and graph.
        cells: its trial on each benchmark.
    """

    kind: str
    name: str
    encoder: str
    graph: str
    fitted: str
    sweep: str
    cells: dict[str, Cell] = field(default_factory=dict)

    def label(self, display: Display) -> str:
        """Return the trial's name if all benchmarks have the same, else fuser and normalizer."""
        rows = [view.rows[place] for _, view, place in self.cells.values()]
        names = {display.trial(row) for row in rows}
        if len(names) == 1:
            return names.pop()
        fusers = {(row["family"], normalizer_of(row)) for row in rows}
        if len(fusers) == 1:
            return display.strategy(*fusers.pop())
        return f"{self.kind} of each benchmark".capitalize()

    def takes(self, other: System, group: str, view: View, place: int) -> bool:
        """Return whether a trial is this system's on a benchmark: same name, make and ranks."""
        names = ["kind", "name", "encoder", "graph", "fitted"]
        if self.kind not in (LIST, DEFAULT):
            names.append("sweep")
        if any(getattr(self, name) != getattr(other, name) for name in names):
            return False
        known = self.cells.get(group)
        return known is None or np.array_equal(known[1].ranks[known[2]], view.ranks[place])

    def values(self, column: Column) -> Float64Array:
        """Return float64[n], the metric of each question of the column's benchmark."""
        _, view, place = self.cells[column.group]
        return view.values(place, Metric.parse(column.name))

    def score(self, column: Column) -> float | None:
        """Return the score on the column's benchmark; None if no trial has one."""
        if column.group not in self.cells:
            return None
        _, view, place = self.cells[column.group]
        return cast("dict[str, float | None]", view.rows[place]).get(column.name)

    def cost(self) -> list[float | None]:
        """Return milliseconds per question and seconds of the index, means over the benchmarks."""
        costs = []
        for _, view, place in self.cells.values():
            known, names = needed(view), lists_read(view.rows[place])
            needs = [known[name] for name in names if name in known]
            index = [spent for one in needs if (spent := one.get("index_seconds")) is not None]
            if names and len(index) == len(names):
                costs.append([sum(one["query_ms"] for one in needs), sum(index)])
        if len(costs) < len(self.cells):
            return [None, None]
        return [float(mean) for mean in np.mean(costs, axis=0)]


@dataclass(frozen=True)
class Board:
    """The systems of some sweeps on one split, the newest sweep first."""

    split: str
    views: Sequence[tuple[SweepEntry, View]]
    display: Display

    def content(self) -> Content:
        """Return the data of the first page: a table, links of its cells, and the best of them.

        ``best`` has, for each choice of encoder and kind, the cells ``[row, column]`` that are
        best, and those not shown to differ from the best.
        """
        columns = self._columns()
        systems = self._systems(columns)
        fields: list[Field[System]] = [
            Field(Column("system", "text"), lambda one: one.label(self.display)),
            Field(Column("encoder", "text"), attrgetter("encoder")),
            *(Field(one, partial(_score, one)) for one in columns),
        ]
        for title in MADE:
            read = attrgetter(title.split(" ")[0])
            shown = title == "kind" or len(set(map(read, systems))) > 1
            fields.append(Field(Column(title, "text"), read, shown))
        fields.append(Field(COSTS["query_ms"], lambda one: one.cost()[0]))
        fields.append(Field(COSTS["index_seconds"], lambda one: one.cost()[1]))
        encoders, kinds = ([getattr(one, name) for one in systems] for name in ("encoder", "kind"))
        choices = product(dict.fromkeys(["", *encoders]), dict.fromkeys(["", *kinds]))
        listed = Table.of("leaderboard", "Leaderboard", fields, systems)
        return {
            **table(listed, self.display),
            "split": self.split,
            "groups": [column.group for column in listed.columns],
            "kinds": kinds,
            "encoders": encoders,
            "places": [self._places(one) for one in systems],
            "best": [_best(systems, columns, *choice) for choice in choices],
        }

    @cached_property
    def groups(self) -> dict[str, str]:
        """The title above the columns of each benchmark, by a hash of its questions."""
        views = {_questions(view): view for _, view in self.views}
        names = [view.dataset for view in views.values()]
        found = {}
        for key, view in views.items():
            version = f" {view.data_sha256[:6]}" if names.count(view.dataset) > 1 else ""
            found[key] = f"{self.display.text(view.dataset)}{version} (n = {view.n})"
        return found

    def _columns(self) -> list[Column]:
        """Return the columns of scores on each benchmark, as tables of trials have them."""
        found: dict[tuple[str, str], Column] = {}
        for one, view in self.views:
            group = self.groups[_questions(view)]
            for known in (trial.column for trial in trial_fields(one.result, view)):
                if known.name in view.usual_metrics:
                    found.setdefault((group, known.name), replace(known, group=group))
        groups = [*self.groups.values()]
        return sorted(found.values(), key=lambda column: groups.index(column.group))

    def _systems(self, columns: Sequence[Column]) -> list[System]:
        """Return the systems, best first by the first column.

        A best trial of a fuser that has the ranks of the best fusion everywhere is left out.
        """
        found: list[System] = []
        for one, view in self.views:
            group = self.groups[_questions(view)]
            for system, place in _locked(one.result, view):
                takers = (other for other in found if other.takes(system, group, view, place))
                known = next(takers, system)
                if known is system:
                    found.append(system)
                known.cells.setdefault(group, (one.key, view, place))
        kept = [
            one
            for one in found
            if one.kind != TUNED
            or not all(view.is_winner(place) for _, view, place in one.cells.values())
        ]
        return sorted(kept, key=lambda one: [-(one.score(each) or 0.0) for each in columns])

    def _places(self, system: System) -> dict[str, list[str]]:
        return {
            name: [key, self.split, view.rows[place]["trial"]]
            for name, (key, view, place) in system.cells.items()
        }


def boards(listed: Sequence[SweepEntry], display: Display) -> list[Content]:
    """Return the leaderboards of test, if anything was held out, and of tune, of newest sweeps."""
    newest = [one for one in listed if not one.newer]
    named = display.of([one.result for one in newest])
    tested = [(one, one.result.test) for one in newest if one.result.test]
    tuned = [(one, one.result.tune) for one in newest]
    both = {"test": tested, "tune": tuned}
    return [Board(split, views, named).content() for split, views in both.items() if views]


def _score(column: Column, system: System) -> float | None:
    return system.score(column)


def _best(systems: Sequence[System], columns: Sequence[Column], encoder: str, kind: str) -> Content:
    chosen = [
        row
        for row, one in enumerate(systems)
        if encoder in ("", one.encoder) and kind in ("", one.kind)
    ]
    best: list[list[int]] = []
    equal: list[list[int]] = []
    for place, column in enumerate(columns, 2):  # after system and encoder
        found = {row: systems[row].score(column) for row in chosen}
        scores = {row: one for row, one in found.items() if one is not None}
        if not scores:
            continue
        top = max(scores, key=lambda row: scores[row])
        shown = [row for row in scores if percent(scores[row]) == percent(scores[top])]
        others = [row for row in scores if row != top]
        binary = Metric.parse(column.name).binary
        labels = systems[top].cells[column.group][1].clusters
        values = {row: systems[row].values(column) for row in scores}
        compared = corrected(
            [Comparison.of(values[row], values[top], binary, labels=labels) for row in others]
        )
        best += [[row, place] for row in shown]
        for row, one in zip(others, compared, strict=True):
            if one.finding == "even" and row not in shown:
                equal.append([row, place])
    return {"encoder": encoder, "kind": kind, "best": best, "equal": equal}


def _questions(view: View) -> str:
    """Return a hash of the benchmark and the counted questions."""
    return digest([view.data_sha256, [str(name) for name in view.queries["id"]]])


def _locked(result: SweepResult, view: View) -> Iterator[tuple[System, int]]:
    """Yield every locked trial as a system; the winner is best fusion, then best of its fuser."""
    made = result.manifest.get("lists") or {}
    words = _other_settings(result)
    for kind, place in _roles(result, view):
        row = view.rows[place]
        names = lists_read(row) if kind == LIST else result.whole.fused_lists
        lists = {name: one for name, one in made.items() if name in names}
        named_by = {WINNER: "", TUNED: row["family"]}
        system = System(
            kind,
            str(named_by.get(kind, row["name"])),
            ", ".join(made_by(lists, "encoder")) or NONE,
            ", ".join(dict.fromkeys(graphs(lists).values())) or NONE,
            _trained_on(result, row) or NONE,
            words or NONE,
        )
        yield system, place


def _trained_on(result: SweepResult, row: Row) -> str:
    """Return the benchmarks on which the lists of a trial, or the trial itself, were trained."""
    known = result.manifest.get("fitted") or {}
    of_lists = [known[name]["on"] for name in lists_read(row) if name in known]
    on = ", ".join(dict.fromkeys(chain.from_iterable(of_lists)))
    return on or ("tune" if learned(result.lock).get(row["trial"]) else "")


def _other_settings(result: SweepResult) -> str:
    """Return what was typed for a sweep besides its benchmark and its lists."""
    own = {
        key: value
        for key, value in result.given.items()
        if key not in BENCHMARK and key.lstrip("+~").split("@")[0].split(".")[0] not in SYSTEM
    }
    words = [own.pop("experiment", ""), *(f"{key}={value}" for key, value in own.items())]
    return " ".join(words).strip()


def _roles(result: SweepResult, view: View) -> Iterator[tuple[str, int]]:
    for trial, roles in locked_trials(result.lock).items():
        if (row := view.place(trial)) is None:
            continue
        if view.rows[row]["family"] == "single":
            yield LIST, row
            continue
        kinds = {"winner": WINNER, "baseline": DEFAULT, "experiment": NAMED}
        for kind in dict.fromkeys(kinds.get(role, TUNED) for role in roles):
            yield kind, row
