"""A system against another: what `harness compare` prints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from harness.core.errors import HarnessError
from harness.core.table import Column, Table
from harness.evaluation.comparison import Comparison
from harness.evaluation.conclusion import Headroom
from harness.evaluation.coverage import Coverage, check_known
from harness.evaluation.evaluate import ranks_of
from harness.evaluation.gold import Gold
from harness.evaluation.metric import Metric
from harness.evaluation.metric.rank import Ties
from harness.evaluation.result import Result, title_of
from harness.evaluation.statistic import benjamini_hochberg, holm
from harness.run import Run

S = TypeVar("S", bound="SystemComparison")
ODDS = "odds ratio: the run's odds of a hit to the baseline's"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemComparison(Result, Comparison):
    """A ``Comparison`` of two systems by a metric, with what was compared.

    name: of the system, ``run`` and ``baseline``: their files.    p_holm, p_bh: the p that decides, corrected for all
    comparisons that were made together.    coverages: of ranked lists, the run's and the baseline's, by name.
    fusable: whether the systems are ranked lists, which could be fused.
    """

    metric: Metric | str
    run: str
    name: str
    baseline: str
    p_holm: float
    p_bh: float
    coverages: Mapping[str, Coverage] = field(default_factory=dict)
    fusable: ClassVar[bool] = True

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """Of what has a score, n of them."""

    @abstractmethod
    def extent(self, n: int) -> str:
        """What was scored: ``147 queries, split tune``."""

    def _json(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "name": self.name,
            "baseline": self.baseline,
            "metric": str(self.metric),
            "n": self.n,
            "score": self.score,
            "baseline_score": self.baseline_score,
            "difference": self.difference,
            "bootstrap": list(self.bootstrap),
            "difference_interval": _listed(self.score_interval()),
            "p_equivalent": self.p_equivalent,
            "wins": self.wins,
            "losses": self.losses,
            "p": self.p,
            "p_mid": self.p_mid,
            "wilson": _listed(self.wilson),
            "odds_ratio": self.odds_ratio,
            "paired_odds_ratio": self.paired_odds_ratio,
            "detectable": self.detectable,
            "design_effect": self.design_effect,
            "p_cluster": self.p_cluster,
            "difference_interval_cluster": list(self.interval_cluster),
            "p_equivalent_cluster": self.p_equivalent_cluster,
            "wins_ids": [self.ids[place] for place in self.won],
            "losses_ids": [self.ids[place] for place in self.lost],
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
        }

    def table(self) -> Table:
        """Its one row."""
        return comparison_table([self])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunComparison(SystemComparison):
    """A comparison of two runs on the same gold."""

    metric: Metric
    gold: Gold
    ties: Ties

    @property
    def ids(self) -> Sequence[str]:
        """Of the queries."""
        return self.gold.query_ids

    def extent(self, n: int) -> str:
        """Queries and split."""
        return f"{n} queries, split {self.gold.part}"

    def _json(self) -> dict[str, Any]:
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
            "clusters": len(np.unique(labels)),
            "largest_cluster": int(np.bincount(labels).max()),
        }


def compare(
    run: Run,
    baseline: Run,
    gold: Gold,
    metric: Metric | str,
    ties: Ties = "house",
) -> RunComparison:
    """Where a run finds what its baseline does not, on every query of ``gold``, and whether it is more than chance.

    metric: a metric, or its name, e.g. ``last_hop@5``. Raises HarnessError when runs and gold speak of other queries or
    documents (``check_known``).
    """
    chosen = metric if isinstance(metric, Metric) else Metric.parse(metric)
    named = {"the run": ("the run", run)}, {"the baseline": ("the baseline", baseline)}
    return compare_all(*named, gold, [chosen], ties)[0]


def compare_all(
    runs: Mapping[str, tuple[str, Run]],
    baselines: Mapping[str, tuple[str, Run]],
    gold: Gold,
    metrics: Sequence[Metric],
    ties: Ties,
) -> list[RunComparison]:
    """Each run against each baseline (by name: its file and itself), by each metric; p is corrected over all of them.

    A run that is a baseline, too, is not compared with itself (unless there is nothing else), and no pair twice.
    """
    for metric in metrics:
        if metric.ordered and not gold.has_last_hop.any():
            raise HarnessError(
                f"{gold.source}: no query has a known hop order, so there is no {metric}; give gold=queries.jsonl, a "
                "dataset.chain that some of its queries meet, or metric=full_sup"
            )
    given = {f"{path} (baseline)": run for path, run in baselines.values()}
    check_known({**given, **{f"{path} (run)": run for path, run in runs.values()}}, gold)
    systems = {name: run for name, (_, run) in {**baselines, **runs}.items()}
    ranks = {name: ranks_of(run, gold, ties) for name, run in systems.items()}
    coverages = {name: Coverage.of(run, gold) for name, run in systems.items()}
    found, counted = [], gold.take(np.flatnonzero(gold.has_last_hop).tolist())
    for name, base in pairs_of(runs, baselines):
        for metric in metrics:
            part = counted if metric.ordered else gold
            one = Comparison.of_ranks(ranks[name], ranks[base], metric, labels=gold.clusters())
            both = {each: coverages[each] for each in (name, base)}
            found.append(
                RunComparison(
                    **values_of(one), metric=metric, gold=part, run=runs[name][0], name=name, baseline=base, ties=ties,
                    coverages=both, p_holm=one.p, p_bh=one.p,
                )
            )  # fmt: skip
    return corrected(found)


def pairs_of(runs: Iterable[str], baselines: Iterable[str]) -> list[tuple[str, str]]:
    """Each run with each baseline: not with itself, unless there is nothing else, and no pair twice."""
    pairs: list[tuple[str, str]] = []
    for base in baselines:
        pairs += [(name, base) for name in runs if name != base and (base, name) not in pairs]
    return pairs or [(name, name) for name in runs]


def values_of(one: Comparison) -> dict[str, Any]:
    """The fields of a comparison, for one that says what was compared."""
    return {own.name: getattr(one, own.name) for own in fields(one)}


def corrected(found: Sequence[S]) -> list[S]:
    """The comparisons with the p that decide corrected over all of them."""
    ps = [one.p_deciding for one in found]
    by_all = zip(found, holm(ps).tolist(), benjamini_hochberg(ps).tolist(), strict=True)
    return [replace(one, p_holm=by_holm, p_bh=by_bh) for one, by_holm, by_bh in by_all]


def headroom(found: Sequence[SystemComparison]) -> dict[str, Headroom]:
    """What a fusion of all runs that are compared, baselines among them, could win over the best, by metric."""
    rooms = {}
    for metric in dict.fromkeys(one.metric for one in found):
        same = [one for one in found if one.metric == metric]
        values = {**{one.baseline: one.theirs for one in same}, **{one.name: one.ours for one in same}}
        if len(values) > 1:
            rooms[str(metric)] = Headroom.of(values, max(values, key=lambda name: float(values[name].mean())))
    return rooms


def comparison_table(found: Sequence[SystemComparison]) -> Table:
    """A row a comparison on the same items; with several baselines a column names them, and two judge by cluster."""
    baselines = list(dict.fromkeys(one.baseline for one in found))
    several = len(baselines) > 1
    counts = len({one.n for one in found}) > 1
    scale = found[0].scale
    columns = [
        Column("run", "text"), *([Column("baseline", "text")] if several else []), Column("metric", "text"),
        *([Column("n", "count")] if counts else []), scale.column("score"), scale.column("baseline"),
        scale.column("difference", "points"), scale.column("95% of difference", "span"),
        Column("W", "count"), Column("L", "count"), Column("p", "p"), Column("Holm p", "p"), Column("BH p", "p"),
        *([Column("p by cluster", "p"), scale.column("95% by cluster", "span")] if several else []),
        Column("95% of score", "interval"), Column("odds ratio", "value"), scale.column("detectable", "points"),
    ]  # fmt: skip
    rows = [
        [
            one.name, *([one.baseline] if several else []), str(one.metric), *([one.n] if counts else []), one.score,
            one.baseline_score, one.difference, one.shown_interval, one.wins, one.losses, one.p, one.p_holm, one.p_bh,
            *([one.p_cluster, one.interval_cluster] if several else []),
            one.wilson, one.odds_ratio, one.detectable,
        ]
        for one in found
    ]  # fmt: skip
    first, n = found[0], max(one.n for one in found)
    said = ["in percent" if scale.share else "more is better"]
    said += [f"p and intervals {one.ruling.how}" for one in found[:1] if one.ruling]
    said += [ODDS] if first.fusable or any(one.binary for one in found) else []
    head = "; ".join([f"Against {', '.join(baselines)}: {first.extent(n)}", *said])
    coverages = {name: coverage for one in found for name, coverage in one.coverages.items()}
    return Table("comparison", title_of(head, coverages), columns, rows)


def _listed(bounds: tuple[float, float] | None) -> list[float] | None:
    return None if bounds is None else list(bounds)
