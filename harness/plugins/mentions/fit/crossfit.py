"""Fits on tune of several benchmarks, of all questions and without each fold."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa

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
            folds = setting.benchmark.folds[setting.members]
            if len(np.unique(folds)) < (2 if name in self.settings else 1):
                raise HarnessError(
                    f"{name}: too few questions fall into tune for {FOLDS} folds; leave it out of "
                    "fit.datasets"
                )

    def fit_folds(self) -> Crossed:
        """Return the weights of all folds, the weights without each fold, their objectives, and the
        question ids of each fold.
        """
        whole = self._fit("on all of tune", None)
        parts = {part: self._fit(f"without fold {part}", part) for part in range(FOLDS)}
        start: dict[str, float] = {}
        for stage in self.target.stages:
            start |= {name: float(knob[0]) for name, knob in sorted(stage.items())}
        objective: dict[str, dict[str, float]] = {}
        questions: dict[int, list[str]] = {part: [] for part in range(FOLDS)}
        for name, setting in {**self.settings, **self.others}.items():
            first, fit = (self._values(name, weights) for weights in (start, whole))
            scores = objective[name] = {"n": len(fit), "start": _mean(first)}
            if name in self.others:
                scores["left_out"] = _mean(fit)
                continue
            fold, unseen = self.fold[name], np.empty_like(fit)
            ids = setting.benchmark.query_ids.take(setting.members)
            for part, weights in parts.items():
                in_part = fold == part
                unseen[in_part] = self._values(name, weights)[in_part]
                questions[part] += ids.filter(pa.array(in_part)).to_pylist()
            scores |= {"fit": _mean(fit), "held_out_folds": _mean(unseen)}
        return {"weights": whole, "folds": parts, "objective": objective, "questions": questions}

    @cached_property
    def fold(self) -> dict[str, Int64Array]:
        """int64[n] by benchmark, the fold of each tune question."""
        return {
            name: setting.benchmark.folds[setting.members]
            for name, setting in self.settings.items()
        }

    def _fit(self, what: str, left_out: int | None) -> dict[str, float]:
        """Return the weights from all folds but one."""
        masks = {name: fold != left_out for name, fold in self.fold.items()}
        held: dict[str, float] = {}

        def objective(stage: int, held: Weights, weights: Weights) -> float:
            whole = {**held, **weights}
            parts = (self._values(name, whole, stage)[mask] for name, mask in masks.items())
            return float(np.mean([average(part) for part in parts]))

        for stage, knobs in enumerate(self.target.stages):
            held = {**held, **self.search(partial(objective, stage, held), knobs)}
        log.info("fit %s: %s", what, ", ".join(f"{name} {value:g}" for name, value in held.items()))
        return held

    def _values(self, name: str, weights: Weights, stage: int | None = None) -> Float64Array:
        """Return float64[n] of a benchmark under the weights of a stage (None: the last) and of
        those before it.

        Values are computed once. A benchmark's ranker is kept until the stage or the weights of
        earlier stages change.
        """
        stage = len(self.target.stages) - 1 if stage is None else stage
        moving = self.target.stages[stage]
        held = {knob: value for knob, value in weights.items() if knob not in moving}
        fixed, asked = (stage, sorted(held.items())), (name, stage, *sorted(weights.items()))
        if asked not in self.cache:
            if self.cache.get(name, (None,))[0] != fixed:
                setting = {**self.settings, **self.others}[name]
                self.cache[name] = fixed, self.target.ranker(setting, stage, held)
            ranks = self.cache[name][1]({knob: weights[knob] for knob in moving})
            values = [Metric.parse(metric)(ranks) for metric in self.metrics]
            self.cache[asked] = np.mean(values, axis=0)
        means: Float64Array = self.cache[asked]
        return means


def _mean(values: Float64Array) -> float:
    return round(float(average(values)), 6)
