"""Two systems that each ran several times on the same questions: both questions and runs vary, and both are in p."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.errors import HarnessError, bounded
from harness.evaluation.statistic.cluster import Labels, cluster_sums


@dataclass(frozen=True)
class TwoWay:
    """The mean difference of two systems over all questions and runs that are like those seen.

    error: its standard error, questions and runs together.    degrees: Satterthwaite's, of freedom.
    question_error: the part of questions, and of chance within them.    run_error: the part of runs alone.
    """

    difference: float
    error: float
    degrees: float
    question_error: float
    run_error: float

    @property
    def p(self) -> float:
        """Two-sided, of Student's t; 1 where nothing differs, 0 where all differs by the same."""
        from scipy.special import stdtr

        if self.error == 0:
            return float(self.difference == 0)
        return float(2 * stdtr(self.degrees, -abs(self.difference) / self.error))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Of the difference."""
        from scipy.special import stdtrit

        bounded("level", level, 0, 1, open_low=True)
        reach = float(stdtrit(self.degrees, (1 + level) / 2)) * self.error if self.error else 0.0
        return self.difference - reach, self.difference + reach


def two_way(ours: ArrayLike, theirs: ArrayLike, labels: Labels | None = None) -> TwoWay:
    """The t test of the two-way random model x = mean + question + run + rest (Cornfield & Tukey 1956).

    ours, theirs: float64[n, r], the scores of n >= 2 questions in r runs, at least one; the r may differ, and runs of
    the two systems are independent of each other.    labels: int64[n], clusters of questions. None: each by itself.

    Variance of the mean difference = Q + R - E. Q: that of the questions' mean differences, divided by n (by cluster
    the robust one, C / (C - 1) times the sum of squares of the clusters' summed deviations, divided by n^2). R: for
    each system the variance of its runs' means, divided by r. E: what both have counted, the mean square of the rest
    divided by n r; a system's R - E is at least 0. Degrees by Satterthwaite (1946) over Q, R and E. Of a system with
    one run R is not known and left out: it is taken as one that always gives the same.
    """
    values = [np.asarray(one, dtype=np.float64) for one in (ours, theirs)]
    if any(one.ndim != 2 or not one.size or not np.isfinite(one).all() for one in values) or len(values[0]) < 2:
        raise HarnessError("two_way: expected finite numbers by question and run, of at least 2 questions")
    if len(values[0]) != len(values[1]):
        raise HarnessError(f"two_way: {len(values[0])} questions against {len(values[1])}; give the same ones")
    differences = values[0].mean(axis=1) - values[1].mean(axis=1)
    question, own = _of_questions(differences, labels)
    runs, parts = 0.0, [(question, own)]
    for one in values:
        n, r = one.shape
        if r == 1:
            continue
        means = one.mean(axis=0)
        rest = one - one.mean(axis=1, keepdims=True) - means + one.mean()
        varied = float(means.var(ddof=1)) / r
        counted = float((rest**2).sum()) / ((n - 1) * (r - 1)) / (n * r)
        if varied > counted:
            runs += varied - counted
            parts += [(varied, r - 1), (counted, (n - 1) * (r - 1))]
    variance = question + runs
    spread = sum(part**2 / degrees for part, degrees in parts)
    degrees = variance**2 / spread if spread > 0 else float(own)
    return TwoWay(float(differences.mean()), variance**0.5, degrees, question**0.5, runs**0.5)


def _of_questions(differences: NDArray[np.float64], labels: Labels | None) -> tuple[float, int]:
    """The variance of the mean over questions, or over their clusters, and its degrees of freedom."""
    deviations = differences - differences.mean()
    sums = deviations if labels is None else cluster_sums(deviations, labels)
    count = len(sums)
    if count < 2:
        raise HarnessError(f"two_way: expected at least 2 clusters of questions, got {count}")
    return float((sums**2).sum()) * count / (count - 1) / len(differences) ** 2, count - 1
