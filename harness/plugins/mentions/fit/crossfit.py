"""Fits on tune of several benchmarks, of all questions and without each fold."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from harness.benchmark.split import FOLDS
from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import HarnessError
from harness.evaluation.metric import Metric, average
from harness.plugins.mentions.fit.search import Search
from harness.plugins.mentions.retriever.fitted import Crossed
from harness.plugins.mentions.target import Setting, Target, Weights

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Fits of a target on several benchmarks.

    The objective is the mean over benchmarks, with equal weights, of the mean over questions and
    metrics.

    Args:
        target: the strategy and its numbers.
        search: the search.
        metrics: names of metrics.
        settings: the benchmarks that are fitted on, by name.
        others: benchmarks that are only scored.
        cache: values per question, by weights.
    """

    target: Target
    search: Search
    metrics: Sequence[str]
    settings: Mapping[str, Setting]
    others: Mapping[str, Setting]
    cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.settings:
            raise HarnessError(
                "fit.datasets less fit.leave_out leaves no benchmark to fit on; name one more"
            )
        for name, setting in {**self.settings, **self.others}.items():
            if not len(setting.members):
                raise HarnessError(
                    f"{name}: no question falls into tune; leave it out of fit.datasets"
                )

    def fit_folds(self) -> Crossed:
        """Return the weights of all folds, the weights without each fold, their objectives, and the
        question ids of each fold.
        """
        whole = self._fit("on all of tune", None)
        parts = {part: self._fit(f"without fold {part}", part) for part in range(FOLDS)}
        start = {
            name: float(given[0])
            for stage in self.target.stages
            for name, given in sorted(stage.items())
        }
        objective: dict[str, dict[str, float]] = {}
        questions: dict[int, list[str]] = {part: [] for part in range(FOLDS)}
        for name, setting in self.settings.items():
            fold = self.fold[name]
            first, seen = (self._values(name, setting, given) for given in (start, whole))
            unseen = np.empty_like(seen)
            for part, weights in parts.items():
                unseen[fold == part] = self._values(name, setting, weights)[fold == part]
            objective[name] = {
                "n": len(seen),
                "start": _mean(first),
                "fit": _mean(seen),
                "held_out_folds": _mean(unseen),
            }
            ids = setting.benchmark.query_ids.take(setting.members).to_pylist()
            for query, part in zip(ids, fold.tolist(), strict=True):
                questions[part].append(query)
        for name, setting in self.others.items():
            first, after = (self._values(name, setting, given) for given in (start, whole))
            objective[name] = {"n": len(after), "start": _mean(first), "left_out": _mean(after)}
        return {"weights": whole, "folds": parts, "objective": objective, "questions": questions}

    @cached_property
    def fold(self) -> dict[str, Int64Array]:
        """int64[n] by benchmark, the fold of each tune question."""
        return {name: one.benchmark.folds[one.members] for name, one in self.settings.items()}

    def _fit(self, what: str, left_out: int | None) -> dict[str, float]:
        """Return the weights from all folds but one."""
        masks = {name: fold != left_out for name, fold in self.fold.items()}
        if not all(mask.any() for mask in masks.values()):
            raise HarnessError(
                f"fit: no question is left {what}; a benchmark has too few in tune for {FOLDS} "
                "folds"
            )
        held: dict[str, float] = {}

        def objective(stage: int, held: Weights, weights: Weights) -> float:
            means = [
                average(self._stage_values(name, setting, stage, held, weights)[masks[name]])
                for name, setting in self.settings.items()
            ]
            return float(np.mean(means))

        for stage, knobs in enumerate(self.target.stages):
            held = {**held, **self.search(partial(objective, stage, held), knobs)}
        log.info("fit %s: %s", what, ", ".join(f"{name} {value:g}" for name, value in held.items()))
        return held

    def _values(self, name: str, setting: Setting, weights: Weights) -> Float64Array:
        """Return float64[n] of a benchmark, under all weights."""
        last = len(self.target.stages) - 1
        moving = self.target.stages[last]
        before = {name: value for name, value in weights.items() if name not in moving}
        after = {name: weights[name] for name in moving}
        return self._stage_values(name, setting, last, before, after)

    def _stage_values(
        self, name: str, setting: Setting, stage: int, held: Weights, weights: Weights
    ) -> Float64Array:
        """Return float64[n] of a benchmark, computed once.

        A benchmark's ranker is kept until the stage or the weights of earlier stages change.
        """
        fixed = (stage, tuple(sorted(held.items())))
        asked = (name, fixed, tuple(sorted(weights.items())))
        if asked not in self.cache:
            if self.cache.get(name, (None,))[0] != fixed:
                self.cache[name] = fixed, self.target.ranker(setting, stage, held)
            ranks = self.cache[name][1](weights)
            values = [Metric.parse(metric)(ranks) for metric in self.metrics]
            self.cache[asked] = np.mean(values, axis=0)
        found: Float64Array = self.cache[asked]
        return found


def _mean(values: Float64Array) -> float:
    return round(float(average(values)), 6)
