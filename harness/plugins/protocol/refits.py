"""Refits on other folds: how much a score on tune depends on the folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.errors import HarnessError
from harness.evaluation.metric import Metric
from harness.sweep.trial import Prepared, Trial
from harness.work.progress import over


@dataclass(frozen=True)
class Refits:
    """A trial that learns, on tune.

    Args:
        name: of the trial.
        score: by the protocol's folds.
        scores: by other folds, one per refit.
        best: score of the best single list, or None.
    """

    name: str
    score: float
    scores: Sequence[float]
    best: float | None

    @property
    def low(self) -> float:
        """The least score of all folds."""
        return min(self.score, *self.scores)

    @property
    def high(self) -> float:
        """The greatest score of all folds."""
        return max(self.score, *self.scores)

    @property
    def deviation(self) -> float:
        """The standard deviation over all folds (n - 1)."""
        return float(np.std([self.score, *self.scores], ddof=1))


def refit(prepared: Prepared, refits: int) -> list[Refits]:
    """Return each trial that learns, best first, scored out of fold on ``refits`` other foldings.

    Another folding is by the MD5 of "<number> <id>", with whole clusters. Lists of
    ``retriever=fitted`` keep the weights of their folds. Raise HarnessError if no trial learns.
    """
    trials = prepared.plan.trials()
    learners = [trial for trial in trials if trial.learns]
    if not learners:
        raise HarnessError(
            "no trial of this grid learns; choose one that does (experiment=many_lists, "
            "fuser=learned)"
        )
    single = _scores(
        prepared, [trial for trial in trials if trial.family == "single" and not trial.learns]
    )
    own = _scores(prepared, learners)
    salts = over("refits", range(1, refits + 1))
    again = np.stack([_scores(prepared, learners, f"{number} ") for number in salts])
    best = max(single.tolist(), default=None)
    found = [
        Refits(trial.name, float(score), scores.tolist(), best)
        for trial, score, scores in zip(learners, own, again.T, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.score, one.name))


def _scores(prepared: Prepared, trials: Sequence[Trial], salt: str = "") -> Float64Array:
    """Return float64[T], the objective on tune, over the queries that have one."""
    if not trials:
        return np.zeros(0)
    found: Float64Array = np.nanmean(
        Metric.parse(prepared.plan.config.objective)(prepared.ranks(trials, "tune", False, salt)),
        axis=1,
    )
    return found
