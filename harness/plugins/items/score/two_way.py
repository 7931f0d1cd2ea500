"""The test of two systems with several runs each, which includes variation of questions and of
runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from harness.core.arrays import Float64Array
from harness.core.errors import bounded
from harness.evaluation.statistic import Labels, cluster_sums, effective_clusters

ROUNDING = 1e-9
"""Errors below this, relative to the scores, are rounding: nothing varies."""


@dataclass(frozen=True)
class TwoWay:
    """The mean difference of two systems over questions and runs like the observed ones.

    Attributes:
        difference: the mean difference.
        error: its standard error, questions and runs together.
        degrees: Satterthwaite's degrees of freedom.
        question_error: the part of questions, and of chance within them.
        run_error: the part of runs alone.
        units: number of questions, or of their clusters.
    """

    difference: float
    error: float
    degrees: float
    question_error: float
    run_error: float
    units: int

    @property
    def least(self) -> float:
        """The smallest p for this number of units: that of the exact test in which a coin flips
        each unit.
        """
        return float(2.0 ** (1 - self.units))

    @property
    def p(self) -> float:
        """Two-sided p of Student's t, no smaller than ``least``; 1 if nothing differs."""
        from scipy.special import stdtr

        if self.difference == 0:
            return 1.0
        t = (
            float(2 * stdtr(self.degrees, -abs(self.difference) / self.error))
            if self.error
            else 0.0
        )
        return max(t, self.least)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the difference.

        It is infinite if nothing varies and there are too few units to show anything.
        """
        from scipy.special import stdtrit

        bounded("level", level, 0, 1, open_low=True)
        if not self.error and self.least > 1 - level:
            return -math.inf, math.inf
        reach = float(stdtrit(self.degrees, (1 + level) / 2)) * self.error if self.error else 0.0
        return self.difference - reach, self.difference + reach


def two_way(ours: ArrayLike, theirs: ArrayLike, labels: Labels | None = None) -> TwoWay:
    """Return the t test of the two-way random model x = mean + question + run + rest.

    Cornfield & Tukey (1956). Variance of the mean difference = Q + R - E. Q: that of the questions'
    mean differences, divided by n; with clusters the jackknife's, (C - 1) / C times the sum over
    clusters of (their summed deviations / (n - their size))^2, which for equal clusters is the
    robust one. Q is at least E, the chance within questions, and 0 if it is less than rounding. R:
    for each system the variance of its runs' means, divided by r. E: what both contain, the mean
    square of the rest divided by n r; a system's R - E is at least 0. Degrees by Satterthwaite
    (1946) over Q, R and E; those of Q are the effective clusters less 1, of which a cluster with
    most questions leaves few. R of a system with one run is unknown and left out, as if the system
    always gave the same result.

    Args:
        ours: float64[n, r], the scores of n >= 2 questions in r >= 1 runs.
        theirs: the same for the other system; its r may differ, and runs of the two systems are
            independent of each other.
        labels: int64[n], clusters of questions. None: no clusters.
    """
    values = [_scores(scores) for scores in (ours, theirs)]
    if len(values[0]) != len(values[1]):
        raise ValueError(
            f"two_way: {len(values[0])} questions against {len(values[1])}; give the same ones"
        )
    differences = values[0].mean(axis=1) - values[1].mean(axis=1)
    n = len(differences)
    if labels is None:
        labels = np.arange(n)
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    units = len(sizes)
    if units < 2:
        raise ValueError(f"two_way: expected at least 2 clusters of questions, got {units}")
    left = cluster_sums(differences - differences.mean(), labels) / (n - sizes)
    question = float((left**2).sum()) * (units - 1) / units
    runs, within, parts = 0.0, 0.0, []
    for scores in values:
        r = scores.shape[1]
        if r == 1:
            continue
        means = scores.mean(axis=0)
        rest = scores - scores.mean(axis=1, keepdims=True) - means + scores.mean()
        varied = float(means.var(ddof=1)) / r
        chance = float((rest**2).sum()) / ((n - 1) * (r - 1)) / (n * r)
        within += chance
        if varied > chance:
            runs += varied - chance
            parts += [(varied, r - 1), (chance, (n - 1) * (r - 1))]
    question = max(question, within)
    question_degrees = max(1.0, effective_clusters(sizes) - 1)
    variance = question + runs
    if variance <= (ROUNDING * max(float(np.abs(scores).max()) for scores in values)) ** 2:
        question = runs = variance = 0.0
    spread = sum(part**2 / degrees for part, degrees in [(question, question_degrees), *parts])
    degrees = variance**2 / spread if variance > 0 else question_degrees
    return TwoWay(
        float(differences.mean()), variance**0.5, degrees, question**0.5, runs**0.5, units
    )


def _scores(scores: ArrayLike) -> Float64Array:
    """Return float64[n, r], checked scores by question and run."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or not values.size or not np.isfinite(values).all() or len(values) < 2:
        raise ValueError(
            "two_way: expected finite numbers by question and run, of at least 2 questions"
        )
    return values
