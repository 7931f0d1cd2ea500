"""A run against another on the same gold: what `harness compare` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

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

ODDS = "odds ratio: the run's odds of a hit to the baseline's"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunComparison(Result, Comparison):
    """A ``Comparison`` of two runs: wins, losses, p, intervals and odds, with what was compared.

    name: of the run, ``run`` and ``baseline``: their files.    coverages: of the run and the baseline, by name.
    p_holm, p_bh: p corrected for all comparisons that were made together.
    """

    metric: Metric
    gold: Gold
    run: str
    name: str
    baseline: str
    ties: Ties
    coverages: Mapping[str, Coverage]
    p_holm: float
    p_bh: float

    def _json(self) -> dict[str, Any]:
        ours, theirs = self.coverages[self.name], self.coverages[self.baseline]
        return {
            "run": self.run,
            "name": self.name,
            "baseline": self.baseline,
            "gold": self.gold.source,
            "split": self.gold.part,
            "ties": self.ties,
            "queries": {"missing": ours.missing, "unknown": ours.unknown},
            "coverage": {"run": ours.to_dict(), "baseline": theirs.to_dict()},
            "metric": self.metric.name,
            "k": self.metric.k,
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
            "clusters": len(np.unique(self.gold.clusters())),
            "largest_cluster": int(np.bincount(self.gold.clusters()).max()),
            "design_effect": self.design_effect,
            "p_cluster": self.p_cluster,
            "difference_interval_cluster": list(self.interval_cluster),
            "p_equivalent_cluster": self.p_equivalent_cluster,
            "wins_ids": [self.gold.query_ids[place] for place in self.won],
            "losses_ids": [self.gold.query_ids[place] for place in self.lost],
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
        }

    def table(self) -> Table:
        """Its one row."""
        return comparison_table([self])


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
    pairs: list[tuple[str, str]] = []
    for base in baselines:
        pairs += [(name, base) for name in runs if name != base and (base, name) not in pairs]
    found, counted = [], gold.take(np.flatnonzero(gold.has_last_hop).tolist())
    for name, base in pairs or [(name, name) for name in runs]:
        for metric in metrics:
            part = counted if metric.ordered else gold
            one = Comparison.of_ranks(ranks[name], ranks[base], metric, labels=gold.clusters())
            compared = {field.name: getattr(one, field.name) for field in fields(one)}
            both = {each: coverages[each] for each in (name, base)}
            found.append(
                RunComparison(
                    **compared, metric=metric, gold=part, run=runs[name][0], name=name, baseline=base, ties=ties,
                    coverages=both, p_holm=one.p, p_bh=one.p,
                )
            )  # fmt: skip
    ps = [one.p for one in found]
    corrected = zip(found, holm(ps).tolist(), benjamini_hochberg(ps).tolist(), strict=True)
    return [replace(one, p_holm=by_holm, p_bh=by_bh) for one, by_holm, by_bh in corrected]


def headroom(found: Sequence[RunComparison]) -> dict[str, Headroom]:
    """What a fusion of all runs that are compared, baselines among them, could win over the best, by metric."""
    rooms = {}
    for metric in dict.fromkeys(one.metric for one in found):
        same = [one for one in found if one.metric == metric]
        values = {**{one.baseline: one.theirs for one in same}, **{one.name: one.ours for one in same}}
        if len(values) > 1:
            rooms[str(metric)] = Headroom.of(values, max(values, key=lambda name: float(values[name].mean())))
    return rooms


def comparison_table(found: Sequence[RunComparison]) -> Table:
    """A row a comparison on one gold; with several baselines a column names them, and two judge by cluster."""
    baselines = list(dict.fromkeys(one.baseline for one in found))
    several = len(baselines) > 1
    counts = len({one.n for one in found}) > 1
    columns = [
        Column("run", "text"), *([Column("baseline", "text")] if several else []), Column("metric", "text"),
        *([Column("n", "count")] if counts else []), Column("score %"), Column("baseline %"),
        Column("difference", "points"), Column("95% of difference", "span"), Column("W", "count"), Column("L", "count"),
        Column("p", "p"), Column("Holm p", "p"), Column("BH p", "p"),
        *([Column("p by cluster", "p"), Column("95% by cluster", "span")] if several else []),
        Column("95% of score", "interval"), Column("odds ratio", "value"), Column("detectable", "points"),
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
    head = f"Against {', '.join(baselines)}: {n} queries, split {first.gold.part}; in percent; {ODDS}"
    coverages = {name: coverage for one in found for name, coverage in one.coverages.items()}
    return Table("comparison", title_of(head, coverages), columns, rows)


def _listed(bounds: tuple[float, float] | None) -> list[float] | None:
    return None if bounds is None else list(bounds)
