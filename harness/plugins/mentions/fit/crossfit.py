"""Fits on tune of several benchmarks, of all questions and without each fold."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from harness.benchmark.split import FOLDS
from harness.core.arrays import BoolArray, Float64Array, Int64Array
from harness.core.errors import HarnessError
from harness.evaluation.metric import Metric, average
from harness.plugins.mentions.fit.search import Search
from harness.plugins.mentions.retriever.fitted import Crossed
from harness.plugins.mentions.target import Ranker, Setting, Target, Weights

log = logging.getLogger(__name__)
Values = Mapping[str, Float64Array]


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
        seen, start = self._values(self.settings, whole), self._values(self.settings, self.start)
        unseen = {name: np.empty_like(values) for name, values in seen.items()}
        for part, weights in parts.items():
            for name, values in self._values(self.settings, weights).items():
                held = self.fold[name] == part
                unseen[name][held] = values[held]
        told = {
            name: {
                "n": len(seen[name]),
                "start": _mean(start[name]),
                "fit": _mean(seen[name]),
                "held_out_folds": _mean(unseen[name]),
            }
            for name in self.settings
        }
        first, after = self._values(self.others, self.start), self._values(self.others, whole)
        left = {
            name: {
                "n": len(after[name]),
                "start": _mean(first[name]),
                "left_out": _mean(after[name]),
            }
            for name in self.others
        }
        return {
            "weights": whole,
            "folds": parts,
            "objective": {**told, **left},
            "questions": self._questions(),
        }

    def _questions(self) -> dict[int, list[str]]:
        """Return the ids of each fold."""
        questions: dict[int, list[str]] = {part: [] for part in range(FOLDS)}
        for name, one in self.settings.items():
            ids = one.benchmark.query_ids.take(one.members).to_pylist()
            for query, part in zip(ids, self.fold[name].tolist(), strict=True):
                questions[part].append(query)
        return questions

    @property
    def start(self) -> dict[str, float]:
        """The start of every number."""
        return {
            name: float(given[0])
            for stage in self.target.stages
            for name, given in sorted(stage.items())
        }

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
        for stage, knobs in enumerate(self.target.stages):
            held = {**held, **self.search(partial(self._objective, masks, stage, held), knobs)}
        log.info("fit %s: %s", what, ", ".join(f"{name} {value:g}" for name, value in held.items()))
        return held

    def _objective(
        self, masks: Mapping[str, BoolArray], stage: int, held: Weights, weights: Weights
    ) -> float:
        found = self._stage_values(self.settings, stage, held, weights)
        return float(np.mean([average(values[masks[name]]) for name, values in found.items()]))

    def _values(self, settings: Mapping[str, Setting], weights: Weights) -> Values:
        """Return float64[n] by benchmark, under all weights."""
        last = len(self.target.stages) - 1
        moving = self.target.stages[last]
        before = {name: value for name, value in weights.items() if name not in moving}
        return self._stage_values(settings, last, before, {name: weights[name] for name in moving})

    def _stage_values(
        self, settings: Mapping[str, Setting], stage: int, held: Weights, weights: Weights
    ) -> Values:
        key = tuple(sorted(held.items()))
        return {
            name: self._question_values(name, one, stage, key, weights)
            for name, one in settings.items()
        }

    def _question_values(
        self,
        name: str,
        setting: Setting,
        stage: int,
        held: tuple[tuple[str, float], ...],
        weights: Weights,
    ) -> Float64Array:
        """Return float64[n], computed once.

        A benchmark's ranker is kept until the stage or the weights of earlier stages change.
        """
        asked = (name, stage, held, tuple(sorted(weights.items())))
        if asked not in self.cache:
            kept: tuple[Any, Ranker] | None = self.cache.get(name)
            if kept is None or kept[0] != (stage, held):
                kept = self.cache[name] = (
                    (stage, held),
                    self.target.ranker(setting, stage, dict(held)),
                )
            ranks = kept[1](weights)
            self.cache[asked] = np.mean(
                [Metric.parse(metric)(ranks) for metric in self.metrics], axis=0
            )
        found: Float64Array = self.cache[asked]
        return found


def _mean(values: Float64Array) -> float:
    return round(float(average(values)), 6)
