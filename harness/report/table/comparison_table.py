"""The rows of a published table from this sweep: each row's trial by slice and
split, with tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import numpy as np

from harness.benchmark.source.card import plain_name
from harness.core.arrays import BoolArray
from harness.core.errors import one_of
from harness.core.table import Column, Field, Source, Table
from harness.evaluation.column import BY_CLUSTER, DIFFERENCE, MCNEMAR, judged
from harness.evaluation.family import Family
from harness.evaluation.metric import Metric, average, definitions
from harness.evaluation.paired_comparison import Comparison
from harness.evaluation.statistic import clustered_wilson
from harness.sweep.folder import caption
from harness.sweep.folder.caption import differences
from harness.sweep.folder.result import SweepResult
from harness.sweep.folder.view import View
from harness.sweep.judge.table_rows import Spec, find_rows

UNPRINTED = "–"
FEWEST = 3
"""Number of questions below which a slice has no rows."""
WHOLE = ({"label": "all", "where": {}},)


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """The numbers of a row on one slice of one split; all but ``scores`` are of the first metric.

    Attributes:
        against: the comparison with the table's baseline row, None for that row; its p is corrected
            over the rows of that slice and split.
    """

    place: int
    label: str
    slice: str
    split: str
    n: int
    scores: Sequence[float]
    interval: Sequence[float] | None
    against: Comparison | None
    published: str


@dataclass(frozen=True)
class ComparisonTable:
    """A table ``spec``: ``name, title, metrics, against`` (label of a row), ``rows``, ``slices``,
    ``odds``.

    W and L are counted on the first metric. If it is not 0/1, a win is a question with the greater
    value, and the interval of the difference is a bootstrap's. ``odds`` adds the odds ratio of a
    0/1 metric.
    """

    result: SweepResult
    spec: Spec
    experiment: Spec

    @classmethod
    def named(cls, result: SweepResult, name: str, experiment: Spec) -> ComparisonTable:
        """Return the table of that name, for a figure."""
        known = {spec["name"]: spec for spec in experiment.get("tables") or () if "rows" in spec}
        one_of("experiment: figure's table", name, known)
        return cls(result, known[name], publication(experiment, known[name]))

    @cached_property
    def places(self) -> list[int | None]:
        """Indices in the leaderboard of each row's trial."""
        view = self.result.every_question[0]
        return find_rows(self.spec, self.spec["rows"], view.rows, view.ranks, view.baselines)

    @cached_property
    def metrics(self) -> list[Metric]:
        """Return the metrics, the judged one first."""
        return [Metric.parse(name) for name in self.spec["metrics"]]

    @cached_property
    def lines(self) -> list[ComparisonRow]:
        """Return all rows, by slice, then split."""
        cells = itertools.product(self.slices, self.result.every_question)
        return [line for cut, part in cells for line in self._lines(part, cut)]

    def table(self) -> Table:
        """Return the table."""
        trials, binary = self.result.whole.rows, self.metrics[0].binary
        first, *others = self.metrics
        against = attrgetter("against")
        printed = {line.published for line in self.lines} - {UNPRINTED}
        column = f"95% of {first}"
        fields: list[Field[ComparisonRow]] = [
            Field(Column("questions", "text"), attrgetter("slice"), len(self.slices) > 1),
            Field(Column("split", "text"), attrgetter("split")),
            Field(Column("row", "text"), attrgetter("label")),
            Field(Column("strategy", "text"), lambda line: trials[line.place].name),
            Field(Column("n", "count"), attrgetter("n")),
            Field(Column(f"{first} %"), lambda line: line.scores[0]),
            Field(Column(column, "interval", f"{first} %"), attrgetter("interval"), binary),
            *(
                Field(Column(f"{metric} %"), partial(_score, at))
                for at, metric in enumerate(others, 1)
            ),
            *judged(against, "W", "L", "p", "Holm p", "95% of difference"),
            *judged(against, *(["OR"] if binary and self.spec.get("odds", False) else [])),
            Field(
                Column("published", "text"),
                attrgetter("published"),
                bool(self.unmeasured or printed),
            ),
        ]
        title = str(self.spec["title"])
        table = Table.of(self.spec["name"], title, fields, self.lines, self.source, self.notes)
        missing = [
            list(map({"row": label, "published": published}.get, table.titles))
            for label, published, _ in self.unmeasured
        ]
        return replace(table, rows=[*table.rows, *missing])

    @property
    def slices(self) -> Sequence[Spec]:
        """The described slices of the questions; without any, all questions."""
        slices: Sequence[Spec] = self.spec.get("slices", WHOLE)
        return slices

    @cached_property
    def unmeasured(self) -> list[tuple[str, str, str]]:
        """Return label, published number and command of each row without a trial."""
        missing = []
        for row, place in zip(self.spec["rows"], self.places, strict=True):
            printed = _published(row, self.result.manifest["dataset"])
            if place is None and "unmeasured" in row and printed:
                missing.append((row["label"], str(next(iter(printed.values()))), row["unmeasured"]))
        return missing

    @property
    def source(self) -> Source:
        """Return the publication, the data and the lists."""
        systems = caption.systems(self.result.whole)
        extent = f"{self.experiment['source']}, on {self.result.manifest['dataset']} here"
        return Source("; ".join(filter(None, [extent, systems])))

    @property
    def notes(self) -> list[str]:
        """Return notes on what is counted, and on differences from the publication."""
        metric, test = self.metrics[0], self.result.test
        difference = DIFFERENCE
        if not metric.binary:
            difference = "difference in points with a bootstrap's interval"
        counted = (
            f"{definitions(dict.fromkeys(name.name for name in self.metrics))}. W, L: questions "
            f"with more, and less, {metric} than {self.spec['against']}; {MCNEMAR}; Holm p: over "
            f"the trials of a split; {difference}. {BY_CLUSTER}. Each row's strategy was chosen on "
            f"tune by {self.spec.get('objective', self.result.manifest['objective'])}."
        )
        notes = [counted, *self._slice_notes()]
        if rows := ", ".join(f"{label} ({command})" for label, _, command in self.unmeasured):
            notes.append(f"Not measured in this sweep: {rows}.")
        last = not_comparable(self.result, self.experiment)
        if test:
            last += f"; test: evaluation {test.evaluation} of this split{test.charge}"
        return [" ".join([*notes, f"{last}.", *caption.of_lists(self.result.whole)])]

    def _slice_notes(self) -> Iterator[str]:
        """Yield the rules of the slices, those left out, and a warning of slices by outcome."""
        if rules := [f"{cut['label']}: {cut['rule']}" for cut in self.slices if "rule" in cut]:
            yield f"{'; '.join(rules)}."
        shown = {line.slice for line in self.lines}
        if few := [str(cut["label"]) for cut in self.slices if cut["label"] not in shown]:
            yield f"Left out, with fewer than {FEWEST} questions: {', '.join(few)}."
        if cuts := [cut for cut in self.slices if "list" in cut["where"]]:
            labels = ", ".join(str(cut["label"]) for cut in cuts)
            lists = ", ".join(dict.fromkeys(str(cut["where"]["list"]) for cut in cuts))
            yield (
                f"Bias: the slices ({labels}) are made with the gold and the ranks of {lists}, so "
                f"by the outcome: they favour or handicap {lists}, and every fusion with it, by "
                "construction, and say nothing of all questions."
            )

    def _lines(self, part: View, cut: Spec) -> list[ComparisonRow]:
        """Return the rows of a slice of a split; those of one trial are one comparison."""
        metric, trials = self.metrics[0], self.result.whole.rows
        members = slice_of(part, cut["where"]) & ~np.isnan(metric(part.ranks[0]))
        if members.sum() < (FEWEST if cut["where"] else 1):
            return []
        rows = list(zip(self.spec["rows"], self.places, strict=True))
        part_places = {
            row["label"]: None if place is None else part.place(trials[place].trial)
            for row, place in rows
        }
        base = part_places[self.spec["against"]]
        pairs: dict[int, Comparison] = {}
        for other in part_places.values():
            if base is not None and other is not None and other != base:
                pairs[other] = part.compare(other, base, members, metric)
        compared = dict(zip(pairs, Family.of([*pairs.values()], part.evaluation), strict=True))
        lines = []
        for row, place in rows:
            if place is None or (in_part := part_places[row["label"]]) is None:
                continue
            values = [metric(part.ranks[in_part][members]) for metric in self.metrics]
            interval = None
            if metric.binary:
                interval = clustered_wilson(values[0], part.clusters[members]).tolist()
            printed = _published(row, part.dataset)
            line = ComparisonRow(
                place,
                row["label"],
                cut["label"],
                part.split,
                len(values[0]),
                [float(average(column)) for column in values],
                interval,
                compared.get(in_part),
                str(printed.get(cut.get("published", part.split), UNPRINTED)),
            )
            lines.append(line)
        return lines


def slice_of(view: View, where: Mapping[str, Any]) -> BoolArray:
    """Return bool[Q], the questions of a slice.

    Args:
        view: the trials of the Q questions.
        where: values of columns of the questions (``hops: 2``, ``in_hipporag_1000: true``), or
            ``list, metric, is``: the questions on which the metric of that single list has that
            value (``list: graph, metric: full_sup@200, is: 1``).
    """
    if "list" in where:
        alone = view.singles.get(where["list"])
        if alone is None:
            raise ValueError(f"a slice is of list {where['list']}, which the sweep lacks")
        met: BoolArray = Metric.parse(where["metric"])(view.ranks[alone]) == where["is"]
        return met
    members = np.ones(view.n, dtype=np.bool_)
    for column, value in where.items():
        if column not in view.queries:
            known = ", ".join(map(str, view.queries))
            raise ValueError(f"{column} is no column of questions: {known}")
        members &= view.queries[column].to_numpy() == value
    return members


def _score(place: int, line: ComparisonRow) -> float:
    return line.scores[place]


def publication(experiment: Spec, spec: Spec) -> Spec:
    """Return the experiment with the source, the models and the differences of one of its tables
    or figures in place of its own.
    """
    changed = {key: spec[key] for key in ("source", "made_with", "differs") if key in spec}
    return {**experiment, **changed}


def not_comparable(result: SweepResult, experiment: Spec, what: str = "figures") -> str:
    """Return the last clause of a caption: the differences from the publication, and the data's
    hash.

    They are derived from the lists of this sweep and from the experiment's description.
    """
    data = result.manifest["data_sha256"][:12]
    differs = differences(result.manifest.get("lists") or {}, experiment.get("made_with") or {})
    return f"Published {what} are not comparable: {differs}{experiment['differs']} Data {data}"


def _published(row: Spec, dataset: str) -> Mapping[str, object]:
    """Return what was printed of a row for a benchmark, by its name or its plain name."""
    printed: Mapping[str, Mapping[str, object]] = row.get("published", {})
    return printed.get(dataset) or printed.get(plain_name(dataset), {})
