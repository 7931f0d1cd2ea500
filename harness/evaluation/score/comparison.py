"""Systems against others by the scores of the same items: `harness compare` without gold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.core.errors import HarnessError
from harness.core.table import Scale, counted
from harness.evaluation.comparison import Comparison, Test
from harness.evaluation.score.scores import Scores, check_aligned, read_scores, tied
from harness.evaluation.statistic import Labels
from harness.evaluation.system_comparison import Repeats, SystemComparison, corrected, pairs_of, values_of

LESS = re.compile(
    r"(?:^|[_\W])(?:error|err|loss|[wc]er|latency|seconds|time|cost|perplexity|ppl|mae|mse|rmse)(?:$|[_\W])", re.I
)
"""Names of scores of which less is better, most often."""
FAR = 20
"""So many times the greatest score of the other system is said: most often one is in percent."""
Given = str | Path | Mapping[str, float]
"""A file of scores, or ``{item: score}``."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoreComparison(SystemComparison):
    """A comparison of two systems by the scores of the same items.

    Scores that are all 0 or 1 are judged by exact McNemar, others by the sign-flip permutation test of the differences,
    with a bootstrap interval. Where items have clusters, the tests and intervals by cluster decide.
    item_ids: ascending.    rounded: the differences that are rounding (see ``tied``), and count as ties.
    """

    item_ids: Sequence[str]
    rounded: Sequence[float] = ()
    fusable: ClassVar[bool] = False

    @property
    def ids(self) -> Sequence[str]:
        """Of the items."""
        return self.item_ids

    def extent(self, n: int) -> str:
        """Items, and clusters where they have some."""
        return f"{n} items" if self.labels is None else f"{n} items in {len(np.unique(self.labels))} clusters"

    def cautions(self) -> list[str]:
        """Differences that are rounding, and a name that says that less is better."""
        said = []
        if self.rounded:
            many = counted(len(self.rounded), "difference")
            said.append(
                f"{many} by {self.metric} of {self.name} and {self.baseline}, at most {max(self.rounded):.2g}, "
                f"{'is' if len(self.rounded) == 1 else 'are'} rounding and counted as tied."
            )
        ours, theirs = (float(np.abs(values).max()) for values in (self.ours, self.theirs))
        if max(ours, theirs) >= FAR * min(ours, theirs) > 0:
            said.append(
                f"By {self.metric} {self.name} goes to {ours:.4g} and {self.baseline} to {theirs:.4g}: are these of "
                "one scale?"
            )
        if LESS.search(str(self.metric)):
            said.append(f"More counts as better: where less {self.metric} is better, write the scores with a minus.")
        return said

    def _json(self) -> dict[str, Any]:
        found = super()._json()
        found |= {"rounded": len(self.rounded)} if self.rounded else {}
        if self.errors is not None:
            return found
        test = "exact McNemar" if self.binary else "sign-flip permutation"
        if self.labels is None:
            return {**found, "test": test}
        sizes = np.bincount(self.labels)
        return {**found, "test": f"{test}, by cluster", "clusters": len(sizes), "largest_cluster": int(sizes.max())}


def compare_scores(
    run: Given | Sequence[Given],
    baseline: Given | Sequence[Given],
    metric: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> ScoreComparison:
    """Whether a system scores more than its baseline on the same items, and whether it is more than chance.

    Args:
        run: a file of any evaluation (see ``harness.evaluation.score.rows``), or ``{item: score}``; several are repeats
            of one system (seeds, draws of a model): the test then knows that runs vary, too.
        baseline: the same of what it is compared with.
        metric: the name of one of the files' metrics; None where there is only one.
        columns: what a table's columns are called: ``{"item": "uid", "score": "f1", "cluster": "passage"}``.

    Returns:
        Wins, losses, p (exact McNemar for scores of 0 and 1, else by permutation), intervals.

    Raises:
        HarnessError: files hold other items, an item twice, or a score that is no finite number.
    """
    systems = []
    for name, given in (("the run", run), ("the baseline", baseline)):
        several = [given] if isinstance(given, str | Path | Mapping) else given
        shown = str(given) if isinstance(given, str | Path) else name
        systems.append({shown: _joined([_read(one, name, metric, columns) for one in several])})
    return _compare(systems[0], systems[1])[0]


def _read(given: Given, name: str, metric: str | None, columns: Mapping[str, str] | None) -> Mapping[str, Scores]:
    if isinstance(given, Mapping):
        return {metric or "score": Scores.from_dict(given, name, metric or "score")}
    return read_scores(given, None if metric is None else [metric], columns)


def compare_files(
    runs: Mapping[str, Sequence[str]],
    baselines: Mapping[str, Sequence[str]],
    metrics: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[ScoreComparison]:
    """Each run against each baseline by name, by each metric; p is corrected over all of them.

    The files of one name are repeats of one system.
    """
    paths = [path for each in (runs, baselines) for several in each.values() for path in several]
    files = {path: read_scores(path, metrics, columns) for path in paths}
    ours, theirs = (
        {name: _joined([files[path] for path in several]) for name, several in each.items()}
        for each in (runs, baselines)
    )
    return _compare(ours, theirs)


def _joined(files: Sequence[Mapping[str, Scores]]) -> Mapping[str, Scores]:
    """The scores of a system by metric, from its files."""
    for found in files[1:]:
        if list(found) != list(files[0]):
            raise _other_metric(*(next(iter(one.values())) for one in (files[0], found)))
    return {metric: Scores.joined([found[metric] for found in files]) for metric in files[0]}


def _other_metric(one: Scores, other: Scores) -> HarnessError:
    return HarnessError(
        f"{one.source} has the metric {one.metric} and {other.source} has {other.metric}; choose one of both: "
        "metric=NAME"
    )


def _compare(
    runs: Mapping[str, Mapping[str, Scores]], baselines: Mapping[str, Mapping[str, Scores]]
) -> list[ScoreComparison]:
    systems = {**baselines, **runs}
    first, *others = systems.values()
    for other in others:
        if list(other) != list(first):
            raise _other_metric(*(next(iter(one.values())) for one in (first, other)))
    every = [scores for found in systems.values() for scores in found.values()]
    check_aligned(every)
    labels = _labels(every)
    scale = Scale(all(((one.values >= 0) & (one.values <= 1)).all() for one in every), "item")
    zero_one = {metric: all(scores[metric].zero_one for scores in systems.values()) for metric in first}
    found = []
    equal = {
        metric: dict(zip(systems, tied([one[metric] for one in systems.values()]), strict=True)) for metric in first
    }
    for name, base in pairs_of(runs, baselines):
        for metric in first:
            ours, theirs = equal[metric][name], equal[metric][base]
            raw = systems[name][metric].values.mean(axis=1) - systems[base][metric].values.mean(axis=1)
            rounded = np.abs(raw[(raw != 0) & (ours.values.mean(axis=1) == theirs.values.mean(axis=1))])
            sides = ((name, ours.values), (base, theirs.values))
            repeats = {each: Repeats.of(values) for each, values in sides if values.shape[1] > 1}
            if repeats:
                one = Comparison.repeated(ours.values, theirs.values, labels, zero_one[metric], scale)
            else:
                test: Test = "sign" if zero_one[metric] else "flip"
                values = ours.values[:, 0], theirs.values[:, 0]
                one = Comparison.of(*values, binary=zero_one[metric], labels=labels, test=test, scale=scale)
            found.append(
                ScoreComparison(
                    **values_of(one), metric=metric, run=ours.source, name=name, baseline=base,
                    item_ids=ours.items, repeats=repeats,
                    rounded=tuple(rounded.tolist()),
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
