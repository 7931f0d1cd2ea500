"""A published table's rows from our data: each row's trial by slice and split, against one of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.metric import Metric, wins_losses
from harness.report.experiment.part import Part, parts
from harness.report.table import Column, Table
from harness.report.view import GOLD
from harness.statistic import bootstrap, difference_interval, mcnemar, wilson
from harness.sweep.result import SweepResult
from harness.sweep.selection import chosen
from harness.tracking.entry import loaded, records, rerun

WHOLE = ({"label": "all", "where": {}},)


@dataclass(frozen=True)
class Line:
    """A row's numbers on one slice of one split; ``wins``, ``losses``, ``p`` and ``span`` are of the first metric."""

    place: int
    label: str
    slice: str
    split: str
    n: int
    scores: Sequence[float]
    interval: Sequence[float] | None
    wins: int | None
    losses: int | None
    p: float | None
    span: Sequence[float] | None
    published: str


@dataclass(frozen=True)
class Compared:
    """A table ``spec``: ``name, title, metrics, against`` (the label of a row), ``rows``, ``slices``.

    W and L are counted on the first metric, which need not be 0/1: then a win is a query with the greater value, and
    the difference's interval is a bootstrap's.
    """

    result: SweepResult
    spec: Mapping[str, Any]
    experiment: Mapping[str, Any]

    @cached_property
    def places(self) -> list[int | None]:
        """The trial of each row, by its place in the leaderboard."""
        return chosen(self.spec["rows"], [loaded(text) for text in self.result.trials["parameters"]])

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics, the judged one first."""
        return [Metric.parse(name) for name in self.spec["metrics"]]

    @cached_property
    def lines(self) -> list[Line]:
        """All rows, by slice, then split."""
        several = list(parts(self.result))
        return [line for cut in self.spec.get("slices", WHOLE) for part in several for line in self._lines(part, cut)]

    def table(self) -> Table:
        """The table."""
        trials = records(self.result.trials)
        sliced = len(self.spec.get("slices", WHOLE)) > 1
        binary = self.metrics[0].binary
        columns = [
            *([Column("queries", "text")] if sliced else []),
            Column("split", "text"), Column("row", "text"), Column("strategy", "text"), Column("n", "count"),
            *(Column(f"{metric} %") for metric in self.metrics),
            *([Column("95% interval", "interval")] if binary else []),
            Column("W", "count"), Column("L", "count"), Column("p", "p"), Column("95% of difference", "span"),
            Column("published", "text"),
        ]  # fmt: skip
        rows = [
            [
                *([line.slice] if sliced else []),
                *(line.split, line.label, str(self.result.trials["name"].iloc[line.place]), line.n, *line.scores),
                *([line.interval] if binary else []),
                *(line.wins, line.losses, line.p, line.span, line.published),
            ]
            for line in self.lines
        ]
        commands = [rerun(trials[line.place]) for line in self.lines]
        return Table(self.spec["name"], self.spec["title"], self.caption(), columns, rows, commands=commands)

    def caption(self) -> str:
        """Source, data, what is counted, and what differs from the publication."""
        metric, facts = self.metrics[0], self.result.manifest
        meant = dict.fromkeys(name.name for name in self.metrics)
        told = "; ".join(f"{name}@k: {GOLD[name]} in the top k" for name in meant if name in GOLD)
        slices = "; ".join(f"{cut['label']}: {cut['rule']}" for cut in self.spec.get("slices", ()) if "rule" in cut)
        how = "Tango's score interval" if metric.binary else "a bootstrap's"
        return (
            f"{self.experiment['source']}, on {facts['dataset']} here. {told}. W and L: queries with more, and less, "
            f"{metric} than {self.spec['against']}; p: exact two-sided McNemar; difference in points, {how}. Each "
            f"row's strategy was chosen on tune. {slices + '. ' if slices else ''}Published figures are not "
            f"comparable: {self.experiment['differs']} Data {facts['data_sha256'][:12]}."
        )

    def _lines(self, part: Part, cut: Mapping[str, Any]) -> Iterator[Line]:
        members = part.slice(cut["where"])
        labels = [row["label"] for row in self.spec["rows"]]
        trials = self.result.trials["trial"]
        own = [None if place is None else part.place(trials.iloc[place]) for place in self.places]
        base = own[labels.index(self.spec["against"])]
        for row, place, found in zip(self.spec["rows"], self.places, own, strict=True):
            if found is not None and place is not None and members.any():
                yield self._line(part, cut, members, row, place, found, base)

    def _line(
        self,
        part: Part,
        cut: Mapping[str, Any],
        members: Any,
        row: Mapping[str, Any],
        place: int,
        found: int,
        base: int | None,
    ) -> Line:
        ranks, n, metric = part.ranks[found][members], int(members.sum()), self.metrics[0]
        scores = [float(each(ranks).mean()) for each in self.metrics]
        wins = losses = p = span = None
        if base is not None and base != found:
            other = part.ranks[base][members]
            won, lost = wins_losses(ranks, other, metric)
            wins, losses = int(won.sum()), int(lost.sum())
            p = mcnemar(wins, losses)
            counted = difference_interval(wins, losses, n) if metric.binary else None
            span = [float(bound) for bound in counted or bootstrap(metric(ranks) - metric(other))]
        interval = [float(bound) for bound in wilson(round(scores[0] * n), n)] if metric.binary else None
        printed = row.get("published", {}).get(self.result.manifest["dataset"], {})
        told = str(printed.get(part.split, "–")) if cut.get("published", True) else "–"
        return Line(place, row["label"], cut["label"], part.split, n, scores, interval, wins, losses, p, span, told)
