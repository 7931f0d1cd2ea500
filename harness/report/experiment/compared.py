"""A published table's rows from our data: each row's trial by slice and split, against one of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from harness.errors import one_of
from harness.metric import Metric, wins_losses
from harness.report.experiment.part import Part, parts
from harness.report.table import Column, Table
from harness.report.view import GOLD
from harness.statistic import bootstrap, difference_interval, equivalence, holm, mcnemar, odds_ratio, wilson
from harness.sweep.judgement import MARGIN
from harness.sweep.result import SweepResult
from harness.sweep.selection import chosen
from harness.tracking.entry import loaded, records, rerun

UNPRINTED = "–"
WHOLE = ({"label": "all", "where": {}},)


@dataclass(frozen=True)
class Line:
    """A row's numbers on one slice of one split; what is beside ``scores`` is of the first metric.

    p_holm: corrected over the rows of that slice and split.    p_equivalent: that the difference is less than the
    sweep's margin.
    """

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
    p_equivalent: float | None = None
    odds: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True)
class Compared:
    """A table ``spec``: ``name, title, metrics, against`` (the label of a row), ``rows``, ``slices``, ``odds``.

    W and L are counted on the first metric, which need not be 0/1: then a win is a query with the greater value, and
    the difference's interval is a bootstrap's. odds: whether the ratio of a 0/1 metric's odds is a column.
    """

    result: SweepResult
    spec: Mapping[str, Any]
    experiment: Mapping[str, Any]

    @classmethod
    def named(cls, result: SweepResult, name: str, experiment: Mapping[str, Any]) -> Compared:
        """The table of that name, for a figure of it."""
        known = {spec["name"]: spec for spec in experiment.get("tables") or () if "rows" in spec}
        one_of("experiment: figure's table", name, known)
        return cls(result, known[name], experiment)

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
        cuts = self.spec.get("slices", WHOLE)
        return [line for cut in cuts for part in several for line in corrected(self._lines(part, cut))]

    def table(self) -> Table:
        """The table."""
        trials = records(self.result.trials)
        sliced = len(self.spec.get("slices", WHOLE)) > 1
        binary = self.metrics[0].binary
        odds = binary and self.spec.get("odds", False)
        printed = any(line.published != UNPRINTED for line in self.lines)
        columns = [
            *([Column("queries", "text")] if sliced else []),
            Column("split", "text"), Column("row", "text"), Column("strategy", "text"), Column("n", "count"),
            *(Column(f"{metric} %") for metric in self.metrics),
            *([Column("95% interval", "interval")] if binary else []),
            Column("W", "count"), Column("L", "count"), Column("p", "p"), Column("Holm p", "p"),
            Column("95% of difference", "span"), *([Column("equiv. p", "p")] if binary else []),
            *([Column("OR", "text")] if odds else []), *([Column("published", "text")] if printed else []),
        ]  # fmt: skip
        rows = [
            [
                *([line.slice] if sliced else []),
                *(line.split, line.label, str(self.result.trials["name"].iloc[line.place]), line.n, *line.scores),
                *([line.interval] if binary else []),
                *(line.wins, line.losses, line.p, line.p_holm, line.span),
                *([line.p_equivalent] if binary else []),
                *([None if line.odds is None else f"{line.odds:.2f}"] if odds else []),
                *([line.published] if printed else []),
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
        same = f"equiv. p: two one-sided tests at {100 * self.margin:g} points; " if metric.binary else ""
        return (
            f"{self.experiment['source']}, on {facts['dataset']} here. {told}. W and L: queries with more, and less, "
            f"{metric} than {self.spec['against']}; p: exact two-sided McNemar; Holm p: over the rows of a split; "
            f"difference in points, {how}; {same}each row's strategy was chosen on tune. "
            f"{slices + '. ' if slices else ''}{self.warning()}Published figures are not comparable: "
            f"{self.experiment['differs']} Data {facts['data_sha256'][:12]}{self._evaluation()}."
        )

    def warning(self) -> str:
        """That a slice was chosen by the outcome, whenever one was; empty otherwise."""
        cuts = [cut for cut in self.spec.get("slices", ()) if "list" in cut["where"]]
        if not cuts:
            return ""
        labels = ", ".join(str(cut["label"]) for cut in cuts)
        lists = ", ".join(dict.fromkeys(str(cut["where"]["list"]) for cut in cuts))
        return (
            f"Bias: the slices ({labels}) are made with the gold and the ranks of {lists}, so by the outcome: they "
            f"favour or handicap {lists}, and every fusion with it, by construction, and say nothing of all queries. "
        )

    @property
    def margin(self) -> float:
        """The largest difference that does not matter."""
        return float(self.result.lock.get("margin", MARGIN))

    def _evaluation(self) -> str:
        times = max((int(row["evaluation"]) for row in self.result.heldout or ()), default=0)
        return f"; test: evaluation {times} of this split" if times else ""

    def _lines(self, part: Part, cut: Mapping[str, Any]) -> list[Line]:
        members = part.slice(cut["where"])
        labels = [row["label"] for row in self.spec["rows"]]
        trials = self.result.trials["trial"]
        own = [None if place is None else part.place(trials.iloc[place]) for place in self.places]
        base = own[labels.index(self.spec["against"])]
        return [
            self._line(part, cut, members, row, place, found, base)
            for row, place, found in zip(self.spec["rows"], self.places, own, strict=True)
            if found is not None and place is not None and members.any()
        ]

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
        wins = losses = p = span = same = odds = None
        if base is not None and base != found:
            other = part.ranks[base][members]
            won, lost = wins_losses(ranks, other, metric)
            wins, losses = int(won.sum()), int(lost.sum())
            p = mcnemar(wins, losses)
            counted = difference_interval(wins, losses, n) if metric.binary else None
            if metric.binary:
                same = equivalence(wins, losses, n, self.margin)
                odds = odds_ratio(round(scores[0] * n), round(float(metric(other).mean()) * n), n)
            span = [float(bound) for bound in counted or bootstrap(metric(ranks) - metric(other))]
        interval = [float(bound) for bound in wilson(round(scores[0] * n), n)] if metric.binary else None
        printed = row.get("published", {}).get(self.result.manifest["dataset"], {})
        told = str(printed.get(part.split, UNPRINTED)) if cut.get("published", True) else UNPRINTED
        judged = interval, wins, losses, p, span, told, same, odds
        return Line(place, row["label"], cut["label"], part.split, n, scores, *judged)


def corrected(lines: Sequence[Line]) -> list[Line]:
    """The lines with Holm's correction over those that have a p."""
    tested = [place for place, line in enumerate(lines) if line.p is not None]
    found = dict(zip(tested, holm([lines[place].p for place in tested]).tolist(), strict=True)) if tested else {}
    return [replace(line, p_holm=found.get(place)) for place, line in enumerate(lines)]
