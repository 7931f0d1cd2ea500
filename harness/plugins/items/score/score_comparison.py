"""Comparisons of systems by the scores of the same items: `harness compare` without gold."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.errors import HarnessError
from harness.core.table import LEVEL, Column, Field, Scale, counted
from harness.evaluation.family import Family
from harness.evaluation.metric import average
from harness.evaluation.paired_comparison import Ruling
from harness.evaluation.statistic import Labels, is_mcnemar, smallest_mean
from harness.evaluation.system_comparison import SystemComparison, SystemField, pairs_of
from harness.plugins.items.score.item_scores import EQUAL, Scores, read_scores, tied
from harness.plugins.items.score.missing import Missing, complete
from harness.plugins.items.score.two_way import TwoWay, two_way

LESS = re.compile(
    r"(?:^|[_\W])(?:error|err|loss|[wc]er|latency|seconds|time|cost|perplexity|ppl|mae|mse|rmse)(?:$|[_\W])",
    re.I,
)
"""Names of scores for which less is usually better."""
FAR = 20
"""Ratio of the systems' greatest scores above which a note asks whether one is in percent."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreComparison(SystemComparison):
    """A comparison of two systems by the scores of the same items.

    The test is that of ``Comparison``, as for ranked lists. If items have clusters, the tests and
    intervals by cluster decide. For systems with several runs the t test over items (or their
    clusters) and runs decides; wins and losses are those of the means over runs. Runs with
    identical values count as one run.

    Args:
        item_ids: ids of the items, ascending.
        missing: scores that files lack.
        rounded: differences that are rounding (see ``tied``) and count as ties.
        repeats: the score of each run of the systems with several runs, by name.
        errors: the t test over items and runs; None if each system counts as one run.
    """

    item_ids: Sequence[str]
    missing: Missing
    rounded: Sequence[float] = ()
    repeats: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    errors: TwoWay | None = None
    fusable = False

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the items."""
        return self.item_ids

    @property
    def id_name(self) -> str:
        """The column of ``ids`` in a data frame."""
        return "item_id"

    def extent(self, n: int) -> str:
        """Return the number of items, and of clusters if there are any, in words."""
        clusters = "" if self.labels is None else f" in {len(np.unique(self.labels))} clusters"
        return f"{n} items{clusters}{self.missing.extent()}"

    @cached_property
    def ruling(self) -> Ruling:
        """The p and the interval that decide."""
        test = self.errors
        if test is None or self.too_few:
            return super().ruling
        how = f"over {'clusters' if self.shared else 'items'} and runs"
        low, high = test.interval()
        bounds = (max(low, -1.0), min(high, 1.0)) if self.scale.share else (low, high)
        return Ruling(how, test.p, bounds, test.least)

    @property
    def detectable(self) -> float | None:
        """The difference that the deciding test shows with 80% power; None if there is none."""
        if self.errors is None or self.too_few:
            return super().detectable
        level = LEVEL if self.verdict is None else self.verdict.level
        return smallest_mean(self.errors.error, self.errors.degrees, level)

    @staticmethod
    def more_fields(comparisons: Sequence[Any]) -> list[SystemField]:
        """Return the columns of systems with several runs: their number, deviation and errors."""
        some, scale = any(comparison.repeats for comparison in comparisons), comparisons[0].scale
        fields: list[SystemField] = []
        for title, side in (("", "name"), ("baseline ", "baseline")):
            several = any(_runs(side, comparison) for comparison in comparisons)
            runs, sd = Column(f"{title}runs", "count"), scale.column(f"{title}sd")
            fields += [
                Field(runs, partial(_count, side), several),
                Field(sd, partial(_deviation, side), several),
            ]
        for title, part in (("se of items", "question_error"), ("se of runs", "run_error")):
            fields.append(Field(scale.column(title), partial(_error, part), some))
        return fields

    @property
    def notes(self) -> list[str]:
        """Notes on missing scores, on rounding, on scales, and on a metric for which less is
        better.
        """
        notes = self.missing.cautions()
        alone = [name for name in (self.name, self.baseline) if name not in self.repeats]
        if self.repeats and alone:
            notes.append(f"{alone[0]} has one run: how much its runs would vary is not in p.")
        if self.rounded:
            many = counted(len(self.rounded), "difference")
            notes.append(
                f"{many} by {self.metric} of {self.name} and {self.baseline}, up to "
                f"{max(self.rounded):.2g}, count as tied, because they are rounding."
            )
        ours, theirs = (float(np.abs(values).max()) for values in (self.ours, self.theirs))
        if max(ours, theirs) >= FAR * min(ours, theirs) > 0:
            notes.append(
                f"By {self.metric} {self.name} goes to {ours:.4g} and {self.baseline} to "
                f"{theirs:.4g}: do they have the same scale?"
            )
        if LESS.search(str(self.metric)):
            notes.append(
                f"More counts as better: if less {self.metric} is better, write the scores "
                "with a minus."
            )
        return notes

    def _json(self) -> dict[str, object]:
        content = super()._json()
        content |= {"rounded": len(self.rounded)} if self.rounded else {}
        content |= {"missing": self.missing.to_dict()} if self.missing.rule else {}
        if self.repeats:
            content["repeats"] = {
                name: {"scores": list(scores), "sd": float(np.std(scores, ddof=1))}
                for name, scores in self.repeats.items()
            }
        if self.errors is not None:
            del content["p_cluster"], content["difference_interval_cluster"]
            interval = None if self.interval is None else list(self.interval)
            content |= {"p": self.ruling.p, "test": "two-way t", "interval": interval}
            return {**content, "error": asdict(self.errors)}
        test = "exact McNemar" if is_mcnemar(self.differences) else "sign-flip permutation"
        if self.labels is None:
            return {**content, "test": test}
        sizes = np.bincount(self.labels)
        return {
            **content,
            "test": f"{test}, by cluster",
            "clusters": len(sizes),
            "largest_cluster": int(sizes.max()),
        }


def _runs(side: str, comparison: Any) -> Sequence[float]:
    """Return the scores of the runs of a side's system; none if it has one run."""
    scores: Sequence[float] = comparison.repeats.get(getattr(comparison, side), ())
    return scores


def _count(side: str, comparison: Any) -> int:
    return len(_runs(side, comparison)) or 1


def _deviation(side: str, comparison: Any) -> float | None:
    return float(np.std(_runs(side, comparison), ddof=1)) if _runs(side, comparison) else None


def _error(part: str, comparison: Any) -> Any:
    return comparison.errors and getattr(comparison.errors, part)


def compare_files(
    runs: Mapping[str, Sequence[str]],
    baselines: Mapping[str, Sequence[str]],
    metrics: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
    missing: str | None = None,
) -> list[ScoreComparison]:
    """Compare the scores in files, each run with each baseline, by each metric.

    Args:
        runs: files by name; several files of a name are repeats of one system.
        baselines: the same.
        metrics: names of metrics; None if there is only one.
        columns: names of a table's columns.
        missing: see ``complete``.

    Returns:
        The comparisons. Their p are corrected over all of them.
    """

    @cache
    def read(path: str) -> dict[str, Scores]:
        return read_scores(path, metrics, columns)

    ours = {name: list(map(read, paths)) for name, paths in runs.items()}
    theirs = {name: list(map(read, paths)) for name, paths in baselines.items()}
    return compare_systems(ours, theirs, missing)


def compare_systems(
    runs: Mapping[str, Sequence[Mapping[str, Scores]]],
    baselines: Mapping[str, Sequence[Mapping[str, Scores]]],
    missing: str | None = None,
) -> list[ScoreComparison]:
    """Compare scores, each run with each baseline, by each metric.

    Args:
        runs: by name, the scores by metric of one file, or of several, which are repeats.
        baselines: the same.
        missing: see ``complete``.
    """
    systems = {**baselines, **runs}
    files = [(name, by_metric) for name, several in systems.items() for by_metric in several]
    (_, first), *others = files
    metrics = list(first)
    for _, other in others:
        if list(other) != metrics:
            ours, theirs = next(iter(first.values())), next(iter(other.values()))
            raise HarnessError(
                f"{ours.source} has the metric {ours.metric} and {theirs.source} has "
                f"{theirs.metric}; choose one of both: metric=NAME"
            )
    owners, scores = list[tuple[str, str]](), list[Scores]()
    for name, by_metric in files:
        for metric in metrics:
            owners.append((name, metric))
            scores.append(by_metric[metric])
    whole, absent = complete(scores, missing)
    by_system: dict[tuple[str, str], list[Scores]] = defaultdict(list)
    for owner, file in zip(owners, whole, strict=True):
        by_system[owner].append(file)
    labels = _labels(whole)
    shares = all(((file.values >= 0) & (file.values <= 1)).all() for file in whole)
    scale = Scale(shares, "item")
    pairs = pairs_of(runs, baselines)
    columns = []
    for metric in metrics:
        joined = {name: Scores.joined(by_system[name, metric]) for name in systems}
        columns.append(_compare_pairs(pairs, joined, labels, scale, absent))
    return list(Family.of([*chain.from_iterable(zip(*columns, strict=True))]))


def _compare_pairs(
    pairs: Sequence[tuple[str, str]],
    raw: Mapping[str, Scores],
    labels: Labels | None,
    scale: Scale,
    missing: Missing,
) -> list[ScoreComparison]:
    """Compare each pair of systems by one metric."""
    equal = dict(zip(raw, tied(list(raw.values())), strict=True))
    zero_one = all(scores.zero_one for scores in raw.values())
    comparisons = []
    for name, base in pairs:
        ours, theirs = equal[name], equal[base]
        before = raw[name].values.mean(axis=1) - raw[base].values.mean(axis=1)
        rounded = np.abs(
            before[(before != 0) & (ours.values.mean(axis=1) == theirs.values.mean(axis=1))]
        )
        runs = {system: equal[system].values for system in (name, base)}
        repeats = {
            system: tuple(average(values.T).tolist())
            for system, values in runs.items()
            if values.shape[1] > 1
        }
        comparisons.append(
            ScoreComparison.of(
                **_over_runs(ours.values, theirs.values, zero_one, labels),
                labels=labels,
                scale=scale,
                metric=ours.metric,
                run=ours.source,
                name=name,
                baseline=base,
                item_ids=ours.items,
                repeats=repeats,
                missing=missing,
                rounded=tuple(rounded.tolist()),
            )
        )
    return comparisons


def _over_runs(
    ours: Float64Array, theirs: Float64Array, zero_one: bool, labels: Labels | None
) -> dict[str, Any]:
    """Return the scores of two systems, float64[n, r], as fields of a comparison."""
    if all((scores == scores[:, :1]).all() for scores in (ours, theirs)):
        return {"ours": ours[:, 0], "theirs": theirs[:, 0], "binary": zero_one}
    units = len(ours) if labels is None else len(np.unique(labels))
    errors = two_way(ours, theirs, labels) if units > 1 else None
    mine, others = ours.mean(axis=1), theirs.mean(axis=1)
    greatest = max(float(np.abs(scores).max()) for scores in (mine, others))
    others = np.where(np.abs(mine - others) <= EQUAL * greatest, mine, others)
    return {"ours": mine, "theirs": others, "binary": False, "errors": errors}


def _labels(scores: Sequence[Scores]) -> Labels | None:
    """Return int64[n], each item's cluster, or None. Files with clusters must have the
    same ones.
    """
    having = [file for file in scores if file.clusters is not None]
    if not having:
        return None
    for other in having[1:]:
        for place, (cluster, other_cluster) in enumerate(
            zip(having[0].clusters or (), other.clusters or (), strict=True)
        ):
            if cluster != other_cluster:
                raise HarnessError(
                    f"{other.places[place]}: item {other.items[place]} is in cluster "
                    f"{other_cluster} and in {cluster} in {having[0].places[place]}; an item has "
                    "one"
                )
    return np.unique(np.array(having[0].clusters), return_inverse=True)[1].astype(np.int64)
