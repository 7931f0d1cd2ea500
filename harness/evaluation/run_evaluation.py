"""Any system's run against gold: what `harness evaluate` prints.

>>> from harness.evaluation.run_evaluation import evaluate
>>> from harness.evaluation.gold import Gold
>>> from harness.run import Run
>>> gold = Gold(["q"], [["a", "b"]], [2], ["bridge"], True, "here")
>>> found = evaluate(Run.from_dict({"q": {"b": 2.0, "a": 1.0}}), gold, ["last_hop@1", "full_sup@1"])
>>> found.metrics
{'last_hop@1': 1.0, 'full_sup@1': 0.0}
>>> print(found)
the run: here, 1 question, split all; scores in percent
<BLANKLINE>
questions    n  last_hop@1  full_sup@1
--------------------------------------
all          1       100.0         0.0
hops 2       1       100.0         0.0
type bridge  1       100.0         0.0
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from harness.core.arrays import BoolArray
from harness.core.errors import one_of
from harness.core.table import Column, Source, Table, counted
from harness.evaluation.gold import Gold, Judgements, refuse_gold, short_source
from harness.evaluation.id_coverage import Coverage, check_known
from harness.evaluation.metric import (
    ABSENT,
    Metric,
    average,
    definitions,
    groups,
    metrics,
)
from harness.evaluation.metric.gold_ranks import Range, RunRanks, Ties
from harness.evaluation.metric.measure import Ranks, Values
from harness.evaluation.result_mapping import Result, Results
from harness.run import Run
from harness.run.systems import Systems, is_several, read_systems

Scores = dict[str, float | None]


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """The scores of a run on n questions, as shares in [0, 1].

    A score is None if the metric needs the hop order and no question has one.

    Attributes:
        run, gold: their names.
        metrics: scores by metric.
        by_hops, by_type: ``n`` and the scores of each group.
        per_query: the scores of each question.
        n_last_hop: number of questions with a known hop order, which last_hop counts; None if that
            is all or none. Groups have it, too.
        judgements: how they are read (see ``Gold.describe``).
        ranks: int32[n, H], ranks of the gold passages.
        tie_ranges: lowest and highest score that another order of equal scores could give (see
            ``harness.evaluation.metric.gold_ranks``).
    """

    run: str
    gold: str
    split: str
    ties: Ties
    coverage: Coverage
    n: int
    metrics: Scores
    by_hops: Mapping[str, Mapping[str, object]]
    by_type: Mapping[str, Mapping[str, object]]
    per_query: Mapping[str, Scores]
    n_last_hop: int | None = None
    judgements: str = ""
    ranks: Ranks = field(default_factory=lambda: np.empty((0, 0), np.int32))
    tie_ranges: Mapping[str, Range] = field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """Sentences on what may distort the scores (see ``Coverage.notes``), and why a score is
        None.
        """
        notes = self.coverage.notes(self.run, map(Metric.parse, self.metrics), self.tie_ranges)
        return notes if self.note is None else [*notes, f"{self.note}."]

    @property
    def note(self) -> str | None:
        """Why a score is None; None if no score is."""
        if not (missing := [name for name, score in self.metrics.items() if score is None]):
            return None
        null = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} null"
        return f"no question of {self.gold} has a known hop order, so there is no last hop: {null}"

    def _json(self) -> dict[str, object]:
        fields = {
            "run": self.run,
            "gold": self.gold,
            "split": self.split,
            "ties": self.ties,
            "queries": {"missing": self.coverage.missing, "unknown": self.coverage.unknown},
            "coverage": self.coverage.to_dict(),
            "n": self.n,
            "judgements": self.judgements,
            "n_last_hop": self.n_last_hop,
            "metrics": self.metrics,
            "tie_ranges": {name: list(ends) for name, ends in self.tie_ranges.items()},
            "by_hops": self.by_hops,
            "by_type": self.by_type,
            "per_query": self.per_query,
            "note": self.note,
            "notes": self.notes,
        }
        optional = ("judgements", "n_last_hop", "tie_ranges", "note")
        return {key: value for key, value in fields.items() if value or key not in optional}

    def table(self, short: bool = False) -> Table:
        """Return a table with a row for all questions, for each hop count and for each type.

        Args:
            short: leave out groups that contain all questions.
        """
        known = [] if self.n_last_hop is None else ["n_last_hop"]
        lacking = [self.coverage.missing] if self.coverage.missing else []
        titles = ["n", *["n of last_hop"] * len(known), *["missing"] * len(lacking)]
        columns = [
            Column("questions", "text"),
            *(Column(title, "count") for title in titles),
            *(Column(f"{name} %") for name in self.metrics),
        ]
        rows: list[list[Any]] = [
            ["all", self.n, *[self.n_last_hop] * len(known), *lacking, *self.metrics.values()]
        ]
        for title, labelled in (("hops", self.by_hops), ("type", self.by_type)):
            for label, scores in labelled.items() if len(labelled) > short else ():
                counts = [scores[name] for name in ("n", *known)]
                values = [scores[name] for name in self.metrics]
                rows.append([f"{title} {label}", *counts, *[None] * len(lacking), *values])
        extent = (
            f"{short_source(self.gold)}, {counted(self.n, 'question')}, split {self.split}; "
            "scores in percent"
        )
        extent = f"{extent}; {self.judgements}" if self.judgements else extent
        source = Source(extent, self.coverage.lacking(self.run))
        return Table("scores", self.run, columns, rows, source)

    def records(self) -> list[dict[str, object]]:
        """Return one row: run, n and the scores."""
        return [{"run": self.run, "n": self.n, **self.metrics}]

    def query_records(self) -> list[dict[str, object]]:
        """Return a row for each question: id, scores, ranks of the gold passages (None: not in the
        list).
        """
        rows = zip(self.per_query.items(), listed_ranks(self.ranks), strict=True)
        return [
            {"query_id": query, **values, "gold_ranks": ranks} for (query, values), ranks in rows
        ]

    def explanation(self) -> list[str]:
        """Return notes on what the numbers are: the metrics, the order of ties, shared ids."""
        coverage = self.coverage
        names = dict.fromkeys(name.partition("@")[0] for name in self.metrics)
        order = "descending, as trec_eval" if self.ties == "trec" else "ascending"
        return [
            f"{definitions(names)}; equal scores by document id {order}.",
            f"Coverage: {coverage.answered} of {counted(coverage.queries, 'question')} with a "
            f"list, {counted(coverage.unknown, 'list')} of questions that the gold does not know; "
            f"{coverage.found} of {counted(coverage.gold_documents, 'gold document')} in any list.",
        ]


def evaluate(
    run: Systems,
    gold: Judgements,
    names: str | Metric | Iterable[str | Metric],
    depths: int | Sequence[int] | None = None,
    ties: Ties = "house",
    *,
    rel: int | None = None,
    source: str = "the run",
) -> Evaluation | Results[Evaluation]:
    """Return the scores of a run, or of several in one table.

    Args:
        run: ranked lists: a run, a file, a data frame, ``{query id: {document id: score}}`` or a
            run of ranx. Several are a list of these, or ``{name: run}``.
        gold: the supporting passages, as ``Gold.read`` takes them. All its questions count; a
            question that the run lacks scores 0.
        names: ``["last_hop@5", "mrr"]``, or names that are taken at each depth (see
            ``metric.metrics``).
        depths: depths for names without one, e.g. ``[5, 10]``.
        ties: order of equal scores: ``house`` is by document id ascending, ``trec`` descending as
            in trec_eval.
        rel: smallest relevance with which a judged document supports its question; None: as the
            gold was read, by default 1.
        source: the run's name, for messages.

    Returns:
        Means and values by question, as shares of 1; of several runs by their names.

    Raises:
        HarnessError: run and gold share no questions or documents, or a metric is not known.
    """
    one_of("ties", ties, get_args(Ties))
    runs = read_systems(refuse_gold(run), source)
    judged = Gold.read(gold, rel=rel, keep_empty=ties == "trec")
    evaluations = {
        name: evaluate_run(system, judged, names, depths, ties, source=name)
        for name, system in runs.items()
    }
    return Results(evaluations) if is_several(run) else next(iter(evaluations.values()))


def evaluate_run(
    run: Run,
    gold: Gold,
    names: str | Metric | Iterable[str | Metric],
    depths: int | Sequence[int] | None = None,
    ties: Ties = "house",
    *,
    source: str = "the run",
) -> Evaluation:
    """Return the scores of one run; arguments as in ``evaluate``."""
    chosen_metrics = metrics(names, depths)
    check_known({source: run}, gold)
    ranked = RunRanks(run, gold, ties)
    values = {str(metric): ranked.values(metric) for metric in chosen_metrics}
    columns = list(map(_listed, values.values()))
    known = gold.has_last_hop
    is_mixed = known.any() and not known.all()
    partly = known if is_mixed and any(metric.ordered for metric in chosen_metrics) else None
    n_last_hop = None if partly is None else int(partly.sum())
    return Evaluation(
        run=source,
        gold=gold.source,
        split=gold.part,
        ties=ties,
        coverage=Coverage.of(run, gold),
        n=len(gold),
        metrics=_means(values, np.arange(len(gold))),
        by_hops=_by(values, gold.hops, partly),
        by_type=_by(values, gold.types, partly),
        per_query={
            query: dict(zip(values, row, strict=True))
            for query, *row in zip(gold.query_ids, *columns, strict=True)
        },
        n_last_hop=n_last_hop,
        judgements=gold.describe(),
        ranks=ranked.ranks,
        tie_ranges=ranked.tie_ranges(chosen_metrics),
    )


def listed_ranks(ranks: Ranks) -> list[list[int | None]]:
    """Return each question's gold ranks, in hop order if it is known; None: not in the list."""
    return [
        [None if rank == ABSENT else rank for rank in row if rank > 0] for row in ranks.tolist()
    ]


def _listed(values: Values) -> list[float | None]:
    """Return the values, and None for each that is not a number."""
    return [None if math.isnan(value) else value for value in values.tolist()]


def _means(values: Mapping[str, Values], members: Any) -> Scores:
    means = {name: float(average(column[members])) for name, column in values.items()}
    return {name: None if math.isnan(mean) else mean for name, mean in means.items()}


def _by(
    values: Mapping[str, Values], labels: Sequence[object], known: BoolArray | None
) -> dict[str, dict[str, object]]:
    return {
        label: {
            "n": len(places),
            **({} if known is None else {"n_last_hop": int(known[places].sum())}),
            **_means(values, places),
        }
        for label, places in groups(labels).items()
    }
