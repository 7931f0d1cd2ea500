"""The comparison of runs on the same gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from harness.core.errors import HarnessError, one_of
from harness.core.table import Table, counted
from harness.evaluation.family import Family
from harness.evaluation.gate import QualityGate, deciding, gate_line
from harness.evaluation.gold import Gold, Judgements, refuse_gold, short_source
from harness.evaluation.id_coverage import Coverage, check_known, check_whole
from harness.evaluation.metric import Metric, metrics
from harness.evaluation.metric.gold_ranks import RunRanks, Ties
from harness.evaluation.metric.measure import Ranks
from harness.evaluation.result_mapping import Printed
from harness.evaluation.run_evaluation import listed_ranks
from harness.evaluation.statement import conclude_all, headroom, lead
from harness.evaluation.system_comparison import (
    GateResult,
    SystemComparison,
    comparison_table,
    pairs_of,
    short_table,
)
from harness.evaluation.system_table import system_table
from harness.run import Run
from harness.run.systems import Systems, is_several, read_systems, short_names

if TYPE_CHECKING:
    import pandas as pd

NamedRun = tuple[str, Run]
"""The name of a file, and its run."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunComparison(SystemComparison):
    """A comparison of two runs on the same gold.

    Attributes:
        queries: all questions of the gold.
        ranks: int32[len(queries), H], ranks of the gold passages, by system.
        lists: the runs of the system and of the baseline.
    """

    metric: Metric
    gold: Gold
    ties: Ties
    queries: Sequence[str] = ()
    ranks: Mapping[str, Ranks] = field(default_factory=dict)
    lists: tuple[Run, Run]

    @property
    def identical(self) -> bool:
        """Whether both runs have the same documents in the same order, whatever their scores."""
        ours, theirs = self.lists
        return not self.differs and ours.same_order(theirs)

    def sentences(self, table: Table) -> list[str]:
        """Return the answer of the gate and the notes that are not in the table."""
        return [*filter(None, [gate_line([self])]), *super().sentences(table)]

    @property
    def ids(self) -> Sequence[str]:
        """Ids of the questions."""
        return self.gold.query_ids

    @property
    def id_name(self) -> str:
        """The column of ``ids`` in a data frame."""
        return "query_id"

    def extent(self, n: int) -> str:
        """Return gold, number of questions and split."""
        source, description = short_source(self.gold.source), self.gold.describe()
        extent = f"{source}, {counted(n, 'question')}, split {self.gold.part}"
        return f"{extent}; {description}" if description else extent

    @property
    def notes(self) -> list[str]:
        """The notes of both runs (see ``Coverage.notes``)."""
        notes = [
            note
            for name, coverage in self.coverages.items()
            for note in coverage.notes(name, [self.metric], self.tie_ranges.get(name, {}))
        ]
        return list(dict.fromkeys(notes))

    def query_records(self) -> list[dict[str, object]]:
        """Return the usual rows with the rank of each gold passage in both lists (None: not in the
        list).
        """
        rows = super().query_records()
        for column, name in (("gold_ranks", self.name), ("baseline_ranks", self.baseline)):
            ranks = dict(zip(self.queries, listed_ranks(self.ranks[name]), strict=True))
            for row in rows:
                row[column] = ranks[str(row["query_id"])]
        return rows

    def _tied(self) -> dict[str, object]:
        """Return this metric's ranges for run and baseline, if another order of ties changes it."""
        sides = {"run": self.name, "baseline": self.baseline}
        ranges = {
            side: self.tie_ranges.get(name, {}).get(str(self.metric))
            for side, name in sides.items()
        }
        tied = {side: list(ends) for side, ends in ranges.items() if ends}
        return {"tie_ranges": tied} if tied else {}

    def _json(self) -> dict[str, object]:
        ours, theirs = self.coverages[self.name], self.coverages[self.baseline]
        labels = self.gold.clusters()
        return {
            **super()._json(),
            "gold": self.gold.source,
            "split": self.gold.part,
            "ties": self.ties,
            "queries": {"missing": ours.missing, "unknown": ours.unknown},
            "coverage": {"run": ours.to_dict(), "baseline": theirs.to_dict()},
            "metric": self.metric.name,
            "k": self.metric.k,
            **self._tied(),
            "clusters": len(np.unique(labels)),
            "largest_cluster": int(np.bincount(labels).max()),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Sequence[SystemComparison], Printed):
    """Comparisons whose p are corrected over all of them.

    Attributes:
        comparisons: one comparison or more.
    """

    comparisons: Sequence[SystemComparison]

    def __getitem__(self, place: Any) -> Any:
        """Return a comparison by its place."""
        return self.comparisons[place]

    def __len__(self) -> int:
        """Return the number of comparisons."""
        return len(self.comparisons)

    def table(self) -> Table:
        """Return a row for each comparison."""
        return short_table(self.comparisons)

    def to_frame(self, per_query: bool = False) -> pd.DataFrame:
        """Return a pandas data frame, with scores as shares.

        Args:
            per_query: return a row for each question and comparison rather than for each
                comparison.
        """
        import pandas as pd

        frames = [comparison.to_frame(per_query) for comparison in self.comparisons]
        return pd.concat(frames, ignore_index=True)

    @property
    def notes(self) -> list[str]:
        """Sentences on what in the files may distort the scores."""
        notes = [note for comparison in self.comparisons for note in comparison.notes]
        return list(dict.fromkeys(notes))

    def sentences(self, table: Table) -> list[str]:
        """Return the answer of the gate, the findings and cautions."""
        sentences = lead(conclude_all(self.comparisons, headroom(self.comparisons)))
        return [*filter(None, [gate_line(self.comparisons)]), *sentences]

    @property
    def gate(self) -> GateResult | None:
        """The answer of the gate to all comparisons, which is the worst one; None without one."""
        return deciding(self.comparisons)

    def paper(self) -> Table:
        """Return the table of a paper: systems by metrics; a row for each comparison if there are
        several baselines.
        """
        several = len({comparison.baseline for comparison in self.comparisons}) > 1
        return comparison_table(self.comparisons) if several else system_table(self.comparisons)


def compare(
    run: Systems,
    baseline: Systems,
    gold: Judgements,
    metric: str | Metric | Sequence[str | Metric],
    ties: Ties = "house",
    depths: int | Sequence[int] | None = None,
    rel: int | None = None,
    gate: str | None = None,
    margin: float | None = None,
) -> RunComparison | Comparisons:
    """Compare a run with its baseline: wins, losses, and whether the difference is more than
    chance.

    Args:
        run: a run, a file, a data frame, ``{query id: {document id: score}}``, or a run of ranx.
            Several systems are a list of these, or ``{name: run}``.
        baseline: what to compare with, in the same forms.
        gold: the supporting passages, as ``Gold.read`` takes them; all its questions count.
        metric: a metric, its name, e.g. ``last_hop@5``, or several.
        ties: order of equal scores: ``house`` is by document id ascending, ``trec`` descending as
            in trec_eval.
        depths: depths for names without one, e.g. 5.
        rel: see ``evaluate``.
        gate: ``no_worse`` or ``better``, a condition for continuous integration (see
            ``harness.evaluation.gate.QualityGate``). Runs then need exactly the questions of the
            gold.
        margin: of the gate, in points.

    Returns:
        Wins, losses, exact p, intervals as shares of 1, by question and by cluster. For several
        systems, baselines or metrics a sequence, whose p are corrected over all. ``gate.verdict``
        is ``passes``, ``fails`` or ``cannot be told``; ``gate.status`` is 0, 1 or 3.

    Raises:
        HarnessError: runs and gold share no questions or documents, or a metric is not known.
    """
    one_of("ties", ties, get_args(Ties))
    alone = isinstance(metric, (str, Metric))
    chosen_metrics = metrics(metric, depths)
    condition = None if gate is None else QualityGate(gate, margin)
    if condition is None and margin is not None:
        raise HarnessError(f"margin={margin} is of a gate; give gate='no_worse' or gate='better'")
    runs = read_systems(refuse_gold(run), "the run")
    baselines = read_systems(refuse_gold(baseline), "the baseline")
    short = short_names([*runs, *baselines])
    runs = {short[name]: system for name, system in runs.items()}
    baselines = {short[name]: system for name, system in baselines.items()}
    for name, system in runs.items():
        if not system.equals(baselines.get(name, system)):
            raise HarnessError(
                f"{name} is one run in run and another in baseline; give each its name"
            )
    judged = Gold.read(gold, rel=rel, keep_empty=ties == "trec")
    comparisons = compare_all(
        _named(runs), _named(baselines), judged, chosen_metrics, ties, gate is not None
    )
    if condition is not None:
        comparisons = condition.judge(comparisons)
    if is_several(run) or is_several(baseline) or not alone:
        return Comparisons(comparisons)
    return comparisons[0]


def _named(runs: Mapping[str, Run]) -> dict[str, NamedRun]:
    return {name: (name, run) for name, run in runs.items()}


def _check_order(chosen_metrics: Sequence[Metric], gold: Gold) -> None:
    """Raise HarnessError if a metric needs a hop order and no question has one."""
    ordered = [metric for metric in chosen_metrics if metric.ordered]
    if ordered and not gold.has_last_hop.any():
        raise HarnessError(
            f"{gold.source}: no question has a known hop order, so there is no {ordered[0]}; "
            "give gold=queries.jsonl, a dataset.chain that some of its questions meet, or "
            "metric=full_sup"
        )


def compare_all(
    runs: Mapping[str, NamedRun],
    baselines: Mapping[str, NamedRun],
    gold: Gold,
    chosen_metrics: Sequence[Metric],
    ties: Ties,
    strict: bool = False,
) -> list[RunComparison]:
    """Compare each run with each baseline by each metric; p is corrected over all comparisons.

    A run that is also a baseline is not compared with itself (unless there is no other), and no
    pair is compared twice.

    Args:
        runs: by name.
        baselines: by name.
        gold: the supporting passages.
        chosen_metrics: the metrics.
        ties: order of equal scores.
        strict: refuse runs that lack questions of the gold or have others.
    """
    _check_order(chosen_metrics, gold)
    known = {f"{file} (baseline)": run for file, run in baselines.values()}
    check_known(known | {f"{file} (run)": run for file, run in runs.values()}, gold)
    systems = {**baselines, **runs}
    ranks = {name: RunRanks(run, gold, ties) for name, (_, run) in systems.items()}
    tied = {name: run_ranks.tie_ranges(chosen_metrics) for name, run_ranks in ranks.items()}
    coverages = {name: Coverage.of(run, gold) for name, (_, run) in systems.items()}
    if strict:
        check_whole(coverages, gold)
    values = {
        (name, metric): run_ranks.values(metric)
        for name, run_ranks in ranks.items()
        for metric in chosen_metrics
    }
    ordered, labels = gold.take(np.flatnonzero(gold.has_last_hop).tolist()), gold.clusters()

    def compared(name: str, base: str, metric: Metric) -> RunComparison:
        pair = dict.fromkeys((name, base))
        return RunComparison.of(
            values[name, metric],
            values[base, metric],
            metric.binary,
            labels=labels,
            metric=metric,
            gold=ordered if metric.ordered else gold,
            ties=ties,
            queries=gold.query_ids,
            run=systems[name][0],
            name=name,
            baseline=base,
            coverages={system: coverages[system] for system in pair},
            tie_ranges={system: tied[system] for system in pair},
            ranks={system: ranks[system].ranks for system in pair},
            lists=(systems[name][1], systems[base][1]),
        )

    pairs = [(*pair, metric) for pair in pairs_of(runs, baselines) for metric in chosen_metrics]
    return list(Family.of(list(starmap(compared, pairs))))
