"""A comparison of two systems on the same questions: one test, which gives difference, interval
and p; wins and losses describe it.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from harness.core.arrays import Int64Array
from harness.core.table import LEVEL, SHARES, Scale, shown
from harness.evaluation import statistic
from harness.evaluation.metric.measure import Values
from harness.evaluation.statistic import PairedTest, paired_tests
from harness.evaluation.statistic.clustering import Labels

MARGIN = 0.02
"""The default of the largest difference that does not matter, as a share."""
WHOLE = 4
"""Mean size of the clusters with several questions from which one cluster may decide a finding."""
Finding = Literal["better", "worse", "even"]
Rule = Literal["alone", "holm", "sequence"]


@dataclass(frozen=True)
class Verdict:
    """What a ``Family`` decides about one of its comparisons.

    Attributes:
        p: the p by which it is decided: the deciding p, corrected by the family's rule and charged
            for earlier evaluations of test; None if clusters are too few, or if it is not tested.
        rule: ``alone`` (nothing is corrected), ``holm``, or ``sequence`` (the winner's tests on
            test).
        size: the number of comparisons that are corrected together.
        charge: the factor for earlier evaluations of test.
        tested: False for the second test of a sequence whose first one showed nothing.
    """

    p: float | None
    rule: Rule = "alone"
    size: int = 1
    charge: int = 1
    tested: bool = True

    @property
    def level(self) -> float:
        """The level at which the rule rejects the smallest p of the family."""
        return LEVEL / (self.size * self.charge)

    def finding(self, difference: float | None) -> Finding:
        """Return what is shown about a difference (more is better)."""
        if not shown(self.p) or not difference:
            return "even"
        return "better" if difference > 0 else "worse"


@dataclass(frozen=True)
class Ruling:
    """The p and the interval that decide a comparison.

    Questions that share gold passages are not independent. If any two share one, the test and
    interval by cluster decide; if clusters are too few and too large for these
    (``statistic.too_few``), nothing does, but p is 1 if no question differs, by any test. Otherwise
    those by question decide.

    Attributes:
        how: the words after "p", such as ``by cluster``; "" for the test by question.
        p: p of the deciding test; None if clusters are too few and a question differs.
        interval: 95% interval of the difference; None if clusters are too few.
        least: the smallest p that the test can give.
    """

    how: str
    p: float | None
    interval: tuple[float, float] | None
    least: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of a system with its baseline on n questions.

    Attributes:
        ours, theirs: float64[n], the values of a metric for the system and the baseline.
        binary: whether values are 0 or 1, so that proportions and odds are defined.
        margin: the largest difference that does not matter.
        labels: int64[n], the cluster of shared gold passages of each question; None: no clusters.
        scale: the unit in which scores are printed.
        higher_is_better: the direction of the metric.
        verdict: what the comparison's ``Family`` decides; None: it belongs to none yet.
    """

    ours: Values
    theirs: Values
    binary: bool = True
    margin: float = MARGIN
    labels: Labels | None = None
    scale: Scale = SHARES
    higher_is_better: bool = True
    verdict: Verdict | None = None

    @classmethod
    def of(
        cls,
        ours: Values,
        theirs: Values,
        binary: bool = True,
        margin: float = MARGIN,
        labels: Labels | None = None,
        **fields: Any,
    ) -> Self:
        """Compare two systems on the questions that the metric counts (those without NaN).

        Args:
            ours: float64[n].
            theirs: float64[n], the same for the baseline.
            binary: whether the metric is 0 or 1.
            margin: the largest difference that does not matter.
            labels: int64[n], clusters of the questions.
            fields: the other fields.
        """
        known = ~np.isnan(ours)
        labels = None if labels is None else labels[known]
        return cls(ours[known], theirs[known], binary, margin, labels, **fields)

    @classmethod
    def all(
        cls, ours: Values, theirs: Values, labels: Labels | None = None, **fields: Any
    ) -> list[Self]:
        """Compare each row of ``ours`` float64[T, n] with ``theirs`` float64[n], with one matrix of
        signs and resamples for all of them. No value is NaN.

        Args:
            ours: the values of T systems.
            theirs: the values of the baseline.
            labels: int64[n], clusters of the questions.
            fields: the other fields.
        """
        comparisons = [cls(row, theirs, labels=labels, **fields) for row in ours]
        if not comparisons:
            return comparisons
        first, differences = comparisons[0], ours - theirs
        tests = {"by_question": paired_tests(differences, None, first.scale.share)}
        if first.shared:
            tests["by_cluster"] = paired_tests(differences, first._labels, first.scale.share)
        for name, results in tests.items():
            for comparison, test in zip(comparisons, results, strict=True):
                vars(comparison)[name] = test
        return comparisons

    def with_fields(self, **fields: Any) -> Self:
        """Return a copy with other fields that keeps the cached results."""
        comparison = copy.copy(self)
        vars(comparison).update(fields)
        return comparison

    @property
    def n(self) -> int:
        """Number of questions."""
        return len(self.ours)

    @cached_property
    def differences(self) -> Values:
        """float64[n]: ours less theirs."""
        return self.ours - self.theirs

    @property
    def gains(self) -> Values:
        """float64[n]: the differences, positive where the system is better."""
        return self.differences if self.higher_is_better else -self.differences

    @cached_property
    def by_question(self) -> PairedTest:
        """The test by question."""
        return paired_tests(self.differences[None], None, self.scale.share)[0]

    @cached_property
    def by_cluster(self) -> PairedTest:
        """The test by cluster; that by question if no two questions share one."""
        if not self.shared:
            return self.by_question
        return paired_tests(self.differences[None], self._labels, self.scale.share)[0]

    @cached_property
    def won(self) -> Int64Array:
        """Indices of the questions on which the system is better (PG 4.3: graph_win)."""
        return np.flatnonzero(self.gains > 0)

    @cached_property
    def lost(self) -> Int64Array:
        """Indices of the questions on which the system is worse."""
        return np.flatnonzero(self.gains < 0)

    @property
    def wins(self) -> int:
        """Number of questions won."""
        return len(self.won)

    @property
    def losses(self) -> int:
        """Number of questions lost."""
        return len(self.lost)

    @cached_property
    def shared(self) -> bool:
        """Whether any two questions share a cluster."""
        return statistic.share(self.labels)

    @cached_property
    def too_few(self) -> bool:
        """Whether questions share clusters that are too few for a p."""
        return self.shared and statistic.too_few(self._labels)

    @cached_property
    def ruling(self) -> Ruling:
        """The p and the interval that decide."""
        if self.too_few:
            return Ruling("by cluster", self.p_cluster, None, 1.0)
        least = float(2.0 ** (1 - self.units))
        if self.shared:
            return Ruling("by cluster", self.p_cluster, self.interval_cluster, least)
        return Ruling("", self.p, self.interval_query, least)

    @property
    def decides(self) -> str:
        """The test that decides: ``by question``, ``by cluster``, or ``too few clusters``."""
        return "too few clusters" if self.too_few else self.ruling.how or f"by {self.scale.item}"

    @property
    def p_deciding(self) -> float | None:
        """The p of the test that decides, not corrected; see ``Ruling``."""
        return self.ruling.p

    @property
    def decided(self) -> Verdict:
        """The verdict; ValueError if the comparison is in no family, so that no p is taken for a
        corrected one.
        """
        if self.verdict is None:
            raise ValueError("this comparison belongs to no family: nothing was decided about it")
        return self.verdict

    @property
    def p_holm(self) -> float | None:
        """The p of the verdict (see ``Verdict``)."""
        return self.decided.p

    @property
    def finding(self) -> Finding:
        """What is shown, by the verdict."""
        gain = self.difference if self.higher_is_better else -self.difference
        return self.decided.finding(gain)

    @cached_property
    def undone_by(self) -> int | None:
        """The size of one more cluster that would undo the finding; None if none would.

        The cluster has the mean size of those with several questions, and the side that is behind
        wins all its questions. No test by cluster is right if clusters are won as a whole but
        seldom, because a sample may contain none of them. Also None without a finding, for metrics
        that are not 0/1, and if clusters have fewer than ``WHOLE`` questions on average.
        """
        if not (self.shared and self.binary) or self.finding == "even":
            return None
        sizes = np.bincount(self._labels)
        size = round(float(sizes[sizes > 1].mean()))
        if size < WHOLE:
            return None
        ahead, behind = np.zeros(size), np.ones(size)
        if self.difference < 0:
            ahead, behind = behind, ahead
        labels = np.concatenate([self._labels, np.full(size, len(sizes))])
        ours = np.concatenate([self.ours, ahead])
        theirs = np.concatenate([self.theirs, behind])
        p = Comparison(ours, theirs, self.binary, self.margin, labels).p_deciding
        return None if shown(p) else size

    @property
    def clusters_ahead(self) -> int:
        """The number of clusters in which the side that is ahead won its questions."""
        ahead = self.won if self.wins >= self.losses else self.lost
        return len(np.unique(self._labels[ahead]))

    @property
    def within_margin(self) -> bool:
        """Whether the 95% interval lies within ``margin`` of 0; False for values other than 0 and
        1.
        """
        interval = self.ruling.interval if self.binary else None
        return interval is not None and max(map(abs, interval)) < self.margin

    @cached_property
    def score(self) -> float:
        """Mean of the system."""
        return float(self.ours.mean())

    @cached_property
    def baseline_score(self) -> float:
        """Mean of the baseline."""
        return float(self.theirs.mean())

    @cached_property
    def difference(self) -> float:
        """Mean of the differences."""
        return self.by_question.difference

    @property
    def interval_query(self) -> tuple[float, float]:
        """95% interval of the difference by question."""
        return self.by_question.interval

    @property
    def interval(self) -> tuple[float, float] | None:
        """The deciding 95% interval of the difference; None if clusters are too few.

        Also None if no question differs, because then the variance cannot be estimated.
        """
        return self.ruling.interval if self.wins + self.losses else None

    @property
    def p(self) -> float:
        """P of the test by question."""
        return self.by_question.p

    @property
    def p_cluster(self) -> float | None:
        """P of the test by cluster; None if no two questions share one, or if clusters are too few
        and a question differs.
        """
        if not self.shared or (self.too_few and self.wins + self.losses):
            return None
        return self.by_cluster.p

    @cached_property
    def design_effect(self) -> float:
        """The factor by which clusters multiply the variance of the difference."""
        return float(statistic.design_effect(self.differences, self._labels))

    @property
    def interval_cluster(self) -> tuple[float, float]:
        """95% interval of the difference by cluster; the one by question if no questions share
        one.
        """
        return self.by_cluster.interval

    @cached_property
    def _labels(self) -> Labels:
        labels = np.arange(self.n) if self.labels is None else self.labels
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def wilson(self) -> tuple[float, float] | None:
        """Wilson's 95% interval of the system's score; None unless values are 0 or 1."""
        return statistic.wilson(int(self.ours.sum()), self.n) if self.binary else None

    @cached_property
    def wilson_cluster(self) -> tuple[float, float] | None:
        """Wilson's 95% interval with the effective number of questions if they share clusters."""
        if not self.binary or not self.shared:
            return self.wilson
        low, high = statistic.clustered_wilson(self.ours, self._labels).tolist()
        return low, high

    @cached_property
    def odds_ratio(self) -> float | None:
        """Ratio of the two systems' odds; None if it is not finite or values are not 0/1."""
        if not self.binary:
            return None
        ratio = statistic.odds_ratio(int(self.ours.sum()), int(self.theirs.sum()), self.n)
        return ratio if math.isfinite(ratio) else None

    @property
    def detectable(self) -> float | None:
        """The difference that the deciding test shows with 80% power; None if there is none.

        For exact McNemar it is the smallest net share of wins at this share of differing questions,
        otherwise that of a t test of the differences. The level is that of the verdict.
        """
        level = LEVEL if self.verdict is None else self.verdict.level
        if self.ruling.least > level:
            return None
        differences, n = self.independent
        if statistic.is_mcnemar(differences):
            return statistic.smallest_effect(int(n), float((differences != 0).mean()), alpha=level)
        spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
        return statistic.smallest_mean(spread / n**0.5, n - 1, level)

    @property
    def independent(self) -> tuple[Values, float]:
        """The differences without a cluster of most questions, and their effective number.

        The sign of such a cluster is one coin; the other clusters decide.
        """
        differences, labels = self.differences, self._labels
        first = statistic.dominant(labels)
        if first is not None:
            differences, labels = differences[labels != first], labels[labels != first]
        return differences, len(differences) / float(statistic.design_effect(differences, labels))

    @cached_property
    def units(self) -> int:
        """Number of units that the deciding test flips: questions, or their clusters."""
        return len(np.unique(self._labels))


@dataclass(frozen=True)
class Outcome:
    """The numbers of a comparison: a row of the long frame that is stored and shown.

    Attributes:
        wins, losses: numbers of questions.
        difference: mean of the differences.
        low, high: the deciding 95% interval; None if no question differs or clusters are too few.
        p: exact McNemar by question; the sign-flip test of the mean if a difference is not -1, 0
            or 1.
        p_cluster: the same test over whole clusters; None if no two questions share gold passages
            or clusters are too few.
        p_holm: the p of the verdict: the deciding one of these, corrected within its family (see
            ``Verdict``); None if it was not tested.
    """

    wins: int
    losses: int
    difference: float | None
    low: float | None
    high: float | None
    p: float
    p_cluster: float | None
    p_holm: float | None

    @classmethod
    def of(cls, comparison: Comparison) -> Self:
        """Return the numbers of a comparison that its family has decided."""
        low, high = comparison.interval or (None, None)
        numbers = (comparison.wins, comparison.losses, comparison.difference, low, high)
        return cls(*numbers, comparison.p, comparison.p_cluster, comparison.p_holm)

    @property
    def interval(self) -> tuple[float, float] | None:
        """``(low, high)``, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def counted_queries(values: Values, labels: Labels | None) -> tuple[Values, Labels | None]:
    """Return the values and clusters of the questions that the metric counts (not NaN).

    Args:
        values: float64[T, n], of T systems.
        labels: int64[n], clusters.
    """
    known = ~np.isnan(values[0])
    return values[:, known], None if labels is None else labels[known]
