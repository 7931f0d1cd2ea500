"""Systems against others by the scores of the same items: `harness compare` without gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.core.errors import HarnessError
from harness.core.table import Scale
from harness.evaluation.comparison import Comparison
from harness.evaluation.run_comparison import SystemComparison, corrected, pairs_of, values_of
from harness.evaluation.score.scores import Scores, check_aligned, read_scores
from harness.evaluation.statistic import Labels

Given = str | Path | Mapping[str, float]
"""A file of scores, or ``{item: score}``."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreComparison(SystemComparison):
    """A comparison of two systems by the scores of the same items.

    Scores that are all 0 or 1 are judged by exact McNemar, others by the sign-flip permutation test of the differences,
    with a bootstrap interval. Where items have clusters, the tests and intervals by cluster decide.
    item_ids: ascending.
    """

    item_ids: Sequence[str]
    fusable: ClassVar[bool] = False

    @property
    def ids(self) -> Sequence[str]:
        """Of the items."""
        return self.item_ids

    def extent(self, n: int) -> str:
        """Items, and clusters where they have some."""
        return f"{n} items" if self.labels is None else f"{n} items in {len(np.unique(self.labels))} clusters"

    def _json(self) -> dict[str, Any]:
        found = super()._json()
        test = "exact McNemar" if self.binary else "sign-flip permutation"
        if self.labels is None:
            return {**found, "test": test}
        sizes = np.bincount(self.labels)
        return {**found, "test": f"{test}, by cluster", "clusters": len(sizes), "largest_cluster": int(sizes.max())}


def compare_scores(
    run: Given, baseline: Given, metric: str | None = None, columns: Mapping[str, str] | None = None
) -> ScoreComparison:
    """Whether a system scores more than its baseline on the same items, and whether it is more than chance.

    run, baseline: files of any evaluation (see ``harness.evaluation.score.rows``), or ``{item: score}``.
    metric, columns: see ``read_scores``.
    """
    wanted = None if metric is None else [metric]
    systems: list[dict[str, dict[str, Scores]]] = []
    for name, given in (("the run", run), ("the baseline", baseline)):
        if isinstance(given, Mapping):
            systems.append({name: {metric or "score": Scores.from_dict(given, name, metric or "score")}})
        else:
            systems.append({str(given): read_scores(given, wanted, columns)})
    return _compare(systems[0], systems[1])[0]


def compare_files(
    runs: Mapping[str, str],
    baselines: Mapping[str, str],
    metrics: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[ScoreComparison]:
    """Each run against each baseline, files by name, by each metric; p is corrected over all of them."""
    files = {path: read_scores(path, metrics, columns) for path in [*runs.values(), *baselines.values()]}
    return _compare(*({name: files[path] for name, path in each.items()} for each in (runs, baselines)))


def _compare(
    runs: Mapping[str, Mapping[str, Scores]], baselines: Mapping[str, Mapping[str, Scores]]
) -> list[ScoreComparison]:
    systems = {**baselines, **runs}
    held = {name: list(found) for name, found in systems.items()}
    first, metrics = next(iter(held.items()))
    for name, others in held.items():
        if others != metrics:
            raise HarnessError(
                f"{first} has the metric {metrics[0]} and {name} has {others[0]}; choose one of both: metric=NAME"
            )
    every = [scores for found in systems.values() for scores in found.values()]
    check_aligned(every)
    labels = _labels(every)
    share = all(((one.values >= 0) & (one.values <= 1)).all() for one in every)
    found = []
    for name, base in pairs_of(runs, baselines):
        for metric in metrics:
            ours, theirs = systems[name][metric], systems[base][metric]
            binary = all(found[metric].binary for found in systems.values())
            one = Comparison.of(
                ours.values.mean(axis=1), theirs.values.mean(axis=1), binary, labels=labels,
                test="sign" if binary else "flip", scale=Scale(share, "item"),
            )  # fmt: skip
            one = one if labels is None else one.by_cluster()
            found.append(
                ScoreComparison(
                    **values_of(one), metric=metric, run=ours.source, name=name, baseline=base, p_holm=one.p_deciding,
                    p_bh=one.p_deciding, item_ids=ours.items,
                )
            )  # fmt: skip
    return corrected(found)


def _labels(scores: Sequence[Scores]) -> Labels | None:
    """int64[n]: each item's cluster, where a file has them; all that have some must have the same."""
    having = [one for one in scores if one.clusters is not None]
    if not having:
        return None
    for other in having[1:]:
        for place, (own, name) in enumerate(zip(having[0].clusters or (), other.clusters or (), strict=True)):
            if own != name:
                raise HarnessError(
                    f"{other.places[place]}: item {other.items[place]} is in cluster {name} and in {own} in "
                    f"{having[0].places[place]}; an item has one"
                )
    return np.unique(np.array(having[0].clusters), return_inverse=True)[1].astype(np.int64)
