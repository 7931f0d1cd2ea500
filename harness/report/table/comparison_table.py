"""The rows of a published table from this sweep: each row's trial by slice and
split, with tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

import numpy as np

from harness.core.arrays import BoolArray
from harness.core.errors import one_of
from harness.core.table import Column, Field, Source, Table
from harness.evaluation.column import BY_CLUSTER, DIFFERENCE, MCNEMAR, judged
from harness.evaluation.metric import Metric, average, definitions
from harness.evaluation.paired_comparison import Comparison, corrected
from harness.evaluation.statistic import clustered_wilson
from harness.sweep.folder import SweepResult, View, caption, differences, rerun
from harness.sweep.judge import Spec, find_trials

UNPRINTED = "–"
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
        return cls(result, known[name], experiment)

    @cached_property
    def places(self) -> list[int | None]:
        """Indices in the leaderboard of each row's trial."""
        return find_trials(self.spec["rows"], [row["parameters"] for row in self.result.whole.rows])

    @cached_property
    def metrics(self) -> list[Metric]:
        """Return the metrics, the judged one first."""
        return [Metric.parse(name) for name in self.spec["metrics"]]

    @cached_property
    def lines(self) -> list[ComparisonRow]:
        """Return all rows, by slice, then split."""
        several = [self.result.whole, *([self.result.test] if self.result.test else [])]
        cuts = self.spec.get("slices", WHOLE)
        return [line for cut in cuts for part in several for line in self._lines(part, cut)]

    def table(self) -> Table:
        """Return the table."""
        trials, binary = self.result.whole.rows, self.metrics[0].binary
        odds = ["OR"] if binary and self.spec.get("odds", False) else []
        score = Column(f"{self.metrics[0]} %")
        against = attrgetter("against")
        printed = [line.published for line in self.lines]
        any_published = bool(self.unmeasured) or any(text != UNPRINTED for text in printed)
        fields: list[Field[ComparisonRow]] = [
            Field(
                Column("questions", "text"),
                attrgetter("slice"),
                len(self.spec.get("slices", WHOLE)) > 1,
            ),
            Field(Column("split", "text"), attrgetter("split")),
            Field(Column("row", "text"), attrgetter("label")),
            Field(Column("strategy", "text"), lambda line: trials[line.place]["name"]),
            Field(Column("n", "count"), attrgetter("n")),
            Field(score, lambda line: line.scores[0]),
            Field(
                Column(f"95% of {self.metrics[0]}", "interval", score.title),
                attrgetter("interval"),
                binary,
            ),
            *(
                Field(Column(f"{metric} %"), _score(place))
                for place, metric in enumerate(self.metrics)
                if place
            ),
            *judged(against, "W", "L", "p", "Holm p", "95% of difference"),
            *judged(against, *odds),
            Field(Column("published", "text"), attrgetter("published"), any_published),
        ]
        title = str(self.spec["title"])
        table = Table.of(self.spec["name"], title, fields, self.lines, self.source, self.notes)
        missing = [
            [{"row": label, "published": published}.get(column.title) for column in table.columns]
            for label, published, _ in self.unmeasured
        ]
        commands = [rerun(trials[line.place]) for line in self.lines]
        commands += [command for _, _, command in self.unmeasured]
        return replace(table, rows=[*table.rows, *missing], commands=commands)

    @cached_property
    def unmeasured(self) -> list[tuple[str, str, str]]:
        """Return label, published number and command of each row without a trial."""
        found = []
        for row, place in zip(self.spec["rows"], self.places, strict=True):
            printed = row.get("published", {}).get(self.result.manifest["dataset"], {})
            if place is None and "unmeasured" in row and printed:
                found.append((row["label"], str(next(iter(printed.values()))), row["unmeasured"]))
        return found

    @property
    def head(self) -> str:
        """Return title and source, for a figure."""
        return f"{self.spec['title']}: {self.source.extent}"

    @property
    def source(self) -> Source:
        """Return the publication, the data and the lists."""
        systems = caption.systems(self.result.whole)
        extent = f"{self.experiment['source']}, on {self.result.manifest['dataset']} here"
        return Source("; ".join(filter(None, [extent, systems])))

    @cached_property
    def notes(self) -> list[str]:
        """Return notes on what is counted, and on differences from the publication."""
        metric = self.metrics[0]
        meant = dict.fromkeys(name.name for name in self.metrics)
        defined = definitions(meant)
        slices = "; ".join(
            f"{cut['label']}: {cut['rule']}" for cut in self.spec.get("slices", ()) if "rule" in cut
        )
        test = self.result.test
        lists = "".join(f" {line}" for line in caption.of_lists(self.result.whole))
        evaluation = (
            f"; test: evaluation {test.evaluation} of this split{test.charge}" if test else ""
        )
        difference = DIFFERENCE
        if not metric.binary:
            difference = "difference in points with a bootstrap's interval"
        return [
            f"{defined}. W, L: questions with more, and less, {metric} than "
            f"{self.spec['against']}; {MCNEMAR}; Holm p: over the trials of a split; "
            f"{difference}. {BY_CLUSTER}. Each row's strategy was chosen on tune. "
            f"{slices + '. ' if slices else ''}{self.warning()}{self.absent()}"
            f"{not_comparable(self.result, self.experiment)}{evaluation}.{lists}"
        ]

    def absent(self) -> str:
        """The sentence that names the published rows without a trial in this sweep."""
        labels = ", ".join(label for label, _, _ in self.unmeasured)
        return f"Not measured in this sweep (the row's command does): {labels}. " if labels else ""

    def warning(self) -> str:
        """A warning about slices that were chosen by the outcome; empty without any."""
        cuts = [cut for cut in self.spec.get("slices", ()) if "list" in cut["where"]]
        if not cuts:
            return ""
        labels = ", ".join(str(cut["label"]) for cut in cuts)
        lists = ", ".join(dict.fromkeys(str(cut["where"]["list"]) for cut in cuts))
        return (
            f"Bias: the slices ({labels}) are made with the gold and the ranks of {lists}, so by "
            "the outcome: they "
            f"favour or handicap {lists}, and every fusion with it, by construction, and say "
            "nothing of all questions. "
        )

    def _lines(self, part: View, cut: Spec) -> list[ComparisonRow]:
        metric = self.metrics[0]
        members = part.slice(cut["where"]) & ~np.isnan(metric(part.ranks[0]))
        if not members.any():
            return []
        trials = self.result.whole.rows
        own = [
            None if place is None else part.place(trials[place]["trial"]) for place in self.places
        ]
        compared = self._compared(part, members, own)
        found = []
        for number, (row, place) in enumerate(zip(self.spec["rows"], self.places, strict=True)):
            if place is not None and (mine := own[number]) is not None:
                values = [metric(part.ranks[mine][members]) for metric in self.metrics]
                interval = (
                    clustered_wilson(values[0], part.clusters[members]).tolist()
                    if metric.binary
                    else None
                )
                scores = [float(average(each)) for each in values]
                names = (row["label"], cut["label"], part.split)
                against = compared.get(number)
                printed = _published(row, part, cut)
                found.append(
                    ComparisonRow(place, *names, len(values[0]), scores, interval, against, printed)
                )
        return found

    def _compared(
        self, part: View, members: BoolArray, own: Sequence[int | None]
    ) -> dict[int, Comparison]:
        """Return the corrected comparisons with the table's baseline row, by number of the row.

        Args:
            part: the trials on one split.
            members: the questions of the slice.
            own: index in ``part`` of each row's trial. A trial of several rows is one comparison.
        """
        base = own[[row["label"] for row in self.spec["rows"]].index(self.spec["against"])]
        if base is None:
            return {}
        others = list(dict.fromkeys(place for place in own if place is not None and place != base))
        found = [part.compare(place, base, members, self.metrics[0]) for place in others]
        compared = dict(zip(others, corrected(found, part.evaluation), strict=True))
        return {number: compared[place] for number, place in enumerate(own) if place in compared}


def _published(row: Spec, part: View, cut: Spec) -> str:
    """Return the published numbers of a row for the slice, if its key ``published`` is given, or
    the split.
    """
    printed = row.get("published", {}).get(part.dataset, {})
    key = cut.get("published", part.split)
    return str(printed.get(key, UNPRINTED))


def _score(place: int) -> Callable[[ComparisonRow], float]:
    return lambda line: line.scores[place]


def not_comparable(result: SweepResult, experiment: Spec, what: str = "figures") -> str:
    """Return the last clause of a caption: the differences from the publication, and the data's
    hash.

    They are derived from the lists of this sweep and from the experiment's description.
    """
    data = result.manifest["data_sha256"][:12]
    made = differences(result.manifest.get("lists") or {}, experiment.get("made_with") or {})
    return f"Published {what} are not comparable: {made}{experiment['differs']} Data {data}"
