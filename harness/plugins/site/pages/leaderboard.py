"""The leaderboard of all sweeps: a row a system, a column a metric of each benchmark, the best of
each marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from harness.core.identity import digest
from harness.core.table import Column, Table, percent
from harness.evaluation.comparison import Comparison, corrected
from harness.evaluation.metric import Metric, average
from harness.plugins.site.pages.chunk import Content, table
from harness.report.display import Display, normalizer_of
from harness.report.table import needed
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
"""Overrides that a row's encoder and graph say."""
MADE = ("kind", "graph", "fitted on", "sweep")
"""Columns of words behind the numbers; but for the first only where systems differ in them."""
NONE = "–"
Cell = tuple[str, View, int]
"""A sweep's key on the site, its locked trials, and the place of one of them."""


@dataclass(frozen=True)
class SweepEntry:
    """A sweep on the site. newer: whether a later one has the same title."""

    key: str
    title: str
    result: SweepResult
    newer: bool


@dataclass
class System:
    """A row: its kind, what it is called in a sweep, what it is made of, and its cell of each
    benchmark.

    name: of a list or a fuser.    fitted: on which benchmarks, or on tune; empty of what learns
    nothing.
    sweep: what was typed beside benchmark, encoder and graph.
    """

    kind: str
    name: str
    encoder: str
    graph: str
    fitted: str
    sweep: str
    cells: dict[str, Cell] = field(default_factory=dict)

    @property
    def rows(self) -> list[Row]:
        """Its trial on each benchmark."""
        return [view.rows[place] for _, view, place in self.cells.values()]

    @property
    def wins_everywhere(self) -> bool:
        """Whether it is the best fusion, or ranks as that does, on each benchmark."""
        return all(view.is_winner(place) for _, view, place in self.cells.values())

    def label(self, display: Display) -> str:
        """The trial's name where it is the same one on all benchmarks, else the fuser's with its
        normalizer.
        """
        names = {display.trial(row) for row in self.rows}
        if len(names) == 1:
            return names.pop()
        fusers = {(row["family"], normalizer_of(row)) for row in self.rows}
        return (
            display.strategy(*fusers.pop())
            if len(fusers) == 1
            else f"{self.kind} of each benchmark".capitalize()
        )

    def takes(self, other: System, group: str, view: View, place: int) -> bool:
        """Whether another system's trial is this one's on a benchmark: of one name and make, and no
        other ranks.
        """
        mine, theirs = (
            (one.kind, one.name, one.encoder, one.graph, one.fitted) for one in (self, other)
        )
        if mine != theirs or (self.kind not in (LIST, DEFAULT) and self.sweep != other.sweep):
            return False
        known = self.cells.get(group)
        return known is None or np.array_equal(known[1].ranks[known[2]], view.ranks[place])


@dataclass(frozen=True)
class Board:
    """The systems of some sweeps on one split; the newest sweep first."""

    split: str
    views: Sequence[tuple[SweepEntry, View]]
    display: Display

    def content(self) -> Content:
        """What the first page reads: a table, where its cells lead, and which of them are best.

        best: for each choice of encoder and kind, the cells ``[row, column]`` that are best, and
        those not shown to differ from it.
        """
        shown = self._table()
        return {
            **table(shown, self.display),
            "split": self.split,
            "groups": [column.group for column in shown.columns],
            "kinds": [system.kind for system in self.systems],
            "encoders": [system.encoder for system in self.systems],
            "places": [
                {
                    name: [key, self.split, view.rows[place]["trial"]]
                    for name, (key, view, place) in one.cells.items()
                }
                for one in self.systems
            ],
            "best": [self._best(*choice, shown.titles) for choice in self._choices()],
        }

    @cached_property
    def groups(self) -> dict[str, str]:
        """The head above the columns of each benchmark, by a hash of its questions."""
        views = {_questions(view): view for _, view in self.views}
        names = [view.dataset for view in views.values()]
        return {
            key: f"{self.display.text(view.dataset)}"
            + (f" {view.data_sha256[:6]}" if names.count(view.dataset) > 1 else "")
            + f" (n = {view.n})"
            for key, view in views.items()
        }

    @cached_property
    def metrics(self) -> list[str]:
        """The columns of each benchmark."""
        return list(dict.fromkeys(name for _, view in self.views for name in view.usual_metrics))

    @cached_property
    def systems(self) -> list[System]:
        """The rows, best first by the first column; what ranks as the best fusion does is one row
        with it.
        """
        found: list[System] = []
        for one, view in self.views:
            group = self.groups[_questions(view)]
            for system, place in _locked(one.result, view):
                known = next(
                    (other for other in found if other.takes(system, group, view, place)), None
                )
                if known is None:
                    found.append(known := system)
                known.cells.setdefault(group, (one.key, view, place))
        found = [one for one in found if one.kind != TUNED or not one.wins_everywhere]
        return sorted(found, key=lambda one: [-(score or 0.0) for score in self._scores(one)])

    @cached_property
    def values(self) -> dict[tuple[str, str], dict[int, NDArray[np.float64]]]:
        """float64[n] by benchmark and metric, then by row: the metric on each question."""
        found: dict[tuple[str, str], dict[int, NDArray[np.float64]]] = {}
        for number, system in enumerate(self.systems):
            for (group, (_, view, place)), metric in product(system.cells.items(), self.metrics):
                found.setdefault((group, metric), {})[number] = view.values(
                    place, Metric.parse(metric)
                )
        return found

    def _scores(self, system: System) -> Iterator[float | None]:
        for group, metric in product(self.groups.values(), self.metrics):
            cell = system.cells.get(group)
            mean = float(average(cell[1].values(cell[2], Metric.parse(metric)))) if cell else None
            yield None if mean is None or np.isnan(mean) else mean

    def _table(self) -> Table:
        made = {
            title: [getattr(one, title.split(" ")[0]) for one in self.systems] for title in MADE
        }
        told = [title for title, column in made.items() if title == "kind" or len({*column}) > 1]
        columns = [
            Column("system", "text"),
            Column("encoder", "text"),
            *(
                Column(metric, group=group)
                for group, metric in product(self.groups.values(), self.metrics)
            ),
            *(Column(title, "text") for title in told),
            Column("ms a question", "measured"),
            Column("index s", "measured"),
        ]
        rows = [
            [
                one.label(self.display),
                one.encoder,
                *self._scores(one),
                *(made[title][number] for title in told),
                *_cost(one),
            ]
            for number, one in enumerate(self.systems)
        ]
        return Table("leaderboard", "Leaderboard", columns, rows)

    def _choices(self) -> list[tuple[str, str]]:
        made = dict.fromkeys(["", *(one.encoder for one in self.systems)])
        return list(product(made, dict.fromkeys(["", *(one.kind for one in self.systems)])))

    def _best(self, encoder: str, kind: str, titles: Sequence[str]) -> Content:
        chosen = {
            number
            for number, one in enumerate(self.systems)
            if encoder in ("", one.encoder) and kind in ("", one.kind)
        }
        best: list[list[int]] = []
        equal: list[list[int]] = []
        columns = product(self.groups.values(), self.metrics)
        for place, (group, metric) in enumerate(columns, titles.index(self.metrics[0])):
            top, even = self._top(group, metric, chosen)
            best += [[row, place] for row in top]
            equal += [[row, place] for row in even]
        return {"encoder": encoder, "kind": kind, "best": best, "equal": equal}

    def _top(self, group: str, metric: str, chosen: Set[int]) -> tuple[list[int], list[int]]:
        """The chosen systems that print as the best by a metric, and those that are not shown to be
        worse.
        """
        mine = {
            row: one for row, one in self.values.get((group, metric), {}).items() if row in chosen
        }
        scores = {row: float(average(one)) for row, one in mine.items() if not np.isnan(one).all()}
        if not scores:
            return [], []
        top = max(scores, key=lambda row: scores[row])
        best = [row for row, score in scores.items() if percent(score) == percent(scores[top])]
        others = [row for row in scores if row != top]
        compared = zip(
            others,
            corrected([self._comparison(group, metric, row, top) for row in others]),
            strict=True,
        )
        return best, [row for row, one in compared if one.finding == "even" and row not in best]

    def _comparison(self, group: str, metric: str, row: int, top: int) -> Comparison:
        values, view = self.values[group, metric], self.systems[top].cells[group][1]
        return Comparison.of(
            values[row], values[top], Metric.parse(metric).binary, labels=view.clusters
        )


def boards(listed: Sequence[SweepEntry], display: Display) -> list[Content]:
    """The leaderboard of test, if anything was held out, and that of tune; of sweeps of one title
    the newest.
    """
    newest = [one for one in listed if not one.newer]
    named = display.of([one.result for one in newest])
    tested = [(one, one.result.test) for one in newest if one.result.test]
    tuned = [(one, one.result.tune) for one in newest]
    both = {"test": tested, "tune": tuned}
    return [Board(split, views, named).content() for split, views in both.items() if views]


def _questions(view: View) -> str:
    """A hash of the benchmark and the questions that are counted."""
    return digest([view.data_sha256, [str(name) for name in view.queries["id"]]])


def _locked(result: SweepResult, view: View) -> Iterator[tuple[System, int]]:
    """Every locked trial as a system, the winner first as the best fusion and then as the best of
    its fuser.
    """
    made = result.manifest.get("lists") or {}
    fused = {
        name for place in result.whole.fused for name in lists_read(result.whole.rows[place])
    } or set(made)
    for kind, place in _roles(result, view):
        row = view.rows[place]
        names = lists_read(row) if kind == LIST else [name for name in made if name in fused]
        yield (
            _system(kind, row, {name: made[name] for name in names if name in made}, result),
            place,
        )


def _system(
    kind: str, row: Row, made: Mapping[str, Mapping[str, object]], result: SweepResult
) -> System:
    """made: the lists that it reads, as the manifest describes them."""
    called = {LIST: row["name"], DEFAULT: row["name"], NAMED: row["name"], TUNED: row["family"]}
    return System(
        kind,
        called.get(kind, ""),
        ", ".join(made_by(made, "encoder")) or NONE,
        ", ".join(dict.fromkeys(graphs(made).values())) or NONE,
        _fitted(result, row),
        _typed(result),
    )


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


def _typed(result: SweepResult) -> str:
    """What was typed for a sweep beside its benchmark, encoder and graph."""
    own = {
        key: value
        for key, value in result.given.items()
        if key not in BENCHMARK and key.lstrip("+~").split("@")[0].split(".")[0] not in SYSTEM
    }
    return (
        " ".join(
            [own.pop("experiment", ""), *(f"{key}={value}" for key, value in own.items())]
        ).strip()
        or NONE
    )


def _fitted(result: SweepResult, row: Row) -> str:
    """On what the weights of a row's lists, or what it has learned itself, were fitted."""
    known = result.manifest.get("fitted") or {}
    on = dict.fromkeys(
        name for each in lists_read(row) if each in known for name in known[each]["on"]
    )
    return ", ".join(on) or ("tune" if learned(result.lock).get(row["trial"]) else NONE)


def _cost(system: System) -> list[float | None]:
    """Milliseconds a question and seconds of the index, of all lists that it reads; the mean over
    its benchmarks.
    """
    spent = []
    for _, view, place in system.cells.values():
        known, names = needed(view), lists_read(view.rows[place])
        needs = [known[name] for name in names if name in known]
        index = [seconds for one in needs if (seconds := one.get("index_seconds")) is not None]
        if names and len(index) == len(names):
            spent.append([sum(one["query_ms"] for one in needs), sum(index)])
    return (
        [float(each) for each in np.mean(spent, axis=0)]
        if len(spent) == len(system.cells)
        else [None, None]
    )
