"""A comparison of two systems on the same queries: who wins where, whether it is more than chance,
how large it is.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.core.table import LEVEL, SHARES, Scale, shown
from harness.evaluation import statistic
from harness.evaluation.metric.measure import Values
from harness.evaluation.statistic.clustering import Labels

MARGIN = 0.02
"""The largest difference that does not matter, unless a configuration says another one."""


WHOLE = 4
"""Mean size of the clusters of several questions from which a finding may hang on one cluster."""
EQUAL = 1e-9
"""Of the scale: scores that differ by no more are equal, as 0.1 + 0.2 and 0.3, or x and 1 - (1 -
x).
"""
Test = Literal["sign", "flip"]
Finding = Literal["better", "worse", "even"]
C = TypeVar("C", bound="Comparison")


@dataclass(frozen=True)
class Ruling:
    """What decides: ``harness`` has one rule, and it stands here.

    Queries that share gold passages are not independent. Where any two do, the tests and intervals
    by cluster decide; where clusters are too few and too large for these (``statistic.too_few``),
    none does. Else those by query do. Of systems with several runs the t test over queries (or
    their clusters) and runs decides.

    how: ends "p", such as ``by cluster``; "" by query.    p, interval: 95%, of the difference; None
    of too few
    clusters.    least: the least p that the test can give.
    errors: where runs vary, too, the parts of questions and of runs.
    """

    how: str
    p: float | None
    interval: tuple[float, float] | None
    least: float
    errors: statistic.TwoWay | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a system finds that its baseline does not; everything follows from one value a query of
    each.

    ours, theirs: float64[n], the two systems' values of a metric on the same queries.
    binary: whether values are 0 or 1, so that proportions and odds mean something.
    margin: the largest difference that does not matter.
    labels: int64[n], each query's cluster of shared gold passages; None: each query by itself.
    test: what p is of. ``sign``: exact McNemar; for a metric that is not 0/1, the sign test of the
    queries that differ.
    ``flip``: the sign-flip permutation test of the differences themselves.
    scale: how scores are said.    errors: of several runs; see ``Ruling``.
    p_holm: the p that decides, corrected for all that was compared together (see ``corrected``);
    None: not corrected.
    """

    ours: Values
    theirs: Values
    binary: bool = True
    margin: float = MARGIN
    labels: Labels | None = None
    test: Test = "sign"
    scale: Scale = SHARES
    errors: statistic.TwoWay | None = None
    p_holm: float | None = None

    @classmethod
    def of(
        cls,
        ours: Values,
        theirs: Values,
        binary: bool = True,
        margin: float = MARGIN,
        labels: Labels | None = None,
        test: Test = "sign",
        scale: Scale = SHARES,
        **what: Any,
    ) -> Self:
        """The comparison on the queries that the metric counts (not NaN): the one way to make it.

        Of several runs wins and losses are those of the means over runs, and the two-way t test
        over questions and runs decides. Runs that do not vary are one run, and judged as such.

        ours, theirs: float64[n], or float64[n, r] of r runs.    test: of one run, unless it is 0/1.
        what: the fields of a subclass, which say what was compared.
        """
        known = ~np.isnan(ours if ours.ndim == 1 else ours[:, 0])
        mine, others = (one.reshape(len(one), -1)[known] for one in (ours, theirs))
        labels = None if labels is None else labels[known]
        errors = None
        if all((one == one[:, :1]).all() for one in (mine, others)):
            test = "sign" if binary else test
        else:
            units = len(mine) if labels is None else len(np.unique(labels))
            errors = statistic.two_way(mine, others, labels) if min(len(mine), units) > 1 else None
            binary, test = False, "flip"
            mine, others = (one.mean(axis=1, keepdims=True) for one in (mine, others))
            rounding = np.abs(mine - others) <= EQUAL * max(
                np.abs(one).max(initial=0) for one in (mine, others)
            )
            others = np.where(rounding, mine, others)  # the mean of three 0.1 is not 0.1
        return cls(
            mine[:, 0].copy(),
            others[:, 0].copy(),
            binary,
            margin,
            labels,
            test,
            scale,
            errors,
            **what,
        )

    def with_fields(self, **fields: Any) -> Self:
        """The same with another ``p_holm``, or under other names, and with all that was
        computed.
        """
        found = copy.copy(self)
        vars(found).update(fields)
        return found

    @property
    def n(self) -> int:
        """Number of queries."""
        return len(self.ours)

    @cached_property
    def won(self) -> NDArray[np.int64]:
        """The numbers of the queries on which the system has more than the baseline (PG 4.3:
        graph_win).
        """
        return np.flatnonzero(self.ours > self.theirs)

    @cached_property
    def lost(self) -> NDArray[np.int64]:
        """The numbers of the queries on which it has less."""
        return np.flatnonzero(self.ours < self.theirs)

    @property
    def wins(self) -> int:
        """W."""
        return len(self.won)

    @property
    def losses(self) -> int:
        """L."""
        return len(self.lost)

    @cached_property
    def shared(self) -> bool:
        """Whether queries share clusters."""
        return statistic.share(self.labels)

    @cached_property
    def too_few(self) -> bool:
        """Whether queries share clusters that are too few for a p."""
        return self.shared and statistic.too_few(self._labels)

    @cached_property
    def ruling(self) -> Ruling:
        """What decides."""
        if self.too_few:
            return Ruling("by cluster", None, None, 1.0, self.errors)
        if (test := self.errors) is not None:
            how = f"over {'clusters' if self.shared else f'{self.scale.item}s'} and runs"
            low, high = test.interval()
            bounds = (max(low, -1.0), min(high, 1.0)) if self.scale.share else (low, high)
            return Ruling(how, test.p, bounds, test.least, test)
        least = float(2.0 ** (1 - self.units))
        if self.shared:
            return Ruling("by cluster", self.p_cluster, self.interval_cluster, least)
        return Ruling("", self.p, self.interval_query, least)

    @property
    def decides(self) -> str:
        """Which p decides: ``by question``, ``by cluster``, ``over questions and runs``, or
        ``too few clusters``.
        """
        return "too few clusters" if self.too_few else self.ruling.how or f"by {self.scale.item}"

    @property
    def p_deciding(self) -> float | None:
        """The p of the test that decides, not corrected; None where clusters are too few."""
        return self.ruling.p

    @property
    def finding(self) -> Finding:
        """What is shown: by Holm's p where there is one, else by the p that decides."""
        if not shown(self.p_deciding if self.p_holm is None else self.p_holm):
            return "even"
        return "better" if self.difference > 0 else "worse"

    @cached_property
    def undone_by(self) -> int | None:
        """The size of one more cluster that would undo the finding; None if none would.

        The cluster has the mean size of those with several queries, and all of its queries are won
        by the side that is behind. No test by cluster is right if clusters are won as a whole but
        seldom, because a sample may hold none of them. None also without a finding, for metrics
        that are not 0/1, and if clusters have fewer than ``WHOLE`` questions on average.
        """
        if not (self.shared and self.binary) or self.finding == "even":
            return None
        sizes = np.bincount(self._labels)
        size = round(float(sizes[sizes > 1].mean()))
        if size < WHOLE:
            return None
        ahead, behind = np.zeros(size), np.ones(size)
        if self.finding == "worse":
            ahead, behind = behind, ahead
        labels = np.concatenate([self._labels, np.full(size, len(sizes))])
        ours = np.concatenate([self.ours, ahead])
        theirs = np.concatenate([self.theirs, behind])
        p = Comparison(ours, theirs, self.binary, self.margin, labels, self.test).p_deciding
        return None if shown(p) else size

    @property
    def within_margin(self) -> bool:
        """Whether the whole 95% interval lies within ``margin`` of 0, of values that are 0 or 1."""
        found = self.ruling.interval if self.binary else None
        return found is not None and max(map(abs, found)) < self.margin

    @property
    def contradicted(self) -> bool:
        """Whether the interval that decides, which is not corrected, says otherwise than the
        finding.
        """
        if self.interval is None:
            return False
        low, high = self.interval
        return (self.finding == "even") == (low > 0 or high < 0)

    @cached_property
    def score(self) -> float:
        """The system's mean."""
        return float(self.ours.mean())

    @cached_property
    def baseline_score(self) -> float:
        """The baseline's mean."""
        return float(self.theirs.mean())

    @cached_property
    def difference(self) -> float:
        """The mean of the differences."""
        return float((self.ours - self.theirs).mean())

    @cached_property
    def interval_query(self) -> tuple[float, float]:
        """The 95% interval of the difference by query: Tango's or, of no 0/1, the paired
        bootstrap's.
        """
        if self.binary:
            return statistic.difference_interval(self.wins, self.losses, self.n)
        return statistic.bootstrap(self.ours - self.theirs)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the difference that decides; None where clusters are too few.

        None, too, where no query differs: nothing was seen to vary, and how much would be hangs on
        an assumption.
        """
        return self.ruling.interval if self.wins + self.losses else None

    @cached_property
    def p(self) -> float:
        """Of ``test``, by query."""
        if self.test == "flip":
            return statistic.sign_flip(self.ours - self.theirs)
        return statistic.mcnemar(self.wins, self.losses)

    @cached_property
    def p_cluster(self) -> float | None:
        """``p`` of the same test in which whole clusters change sides; None where no two queries
        share one, and where clusters are too few.
        """
        if not self.shared or self.too_few:
            return None
        if self.test == "flip":
            return statistic.sign_flip(self.ours - self.theirs, self.labels)
        return statistic.clustered_mcnemar(np.sign(self.ours - self.theirs), self._labels)

    @cached_property
    def design_effect(self) -> float:
        """By how much clusters multiply the variance of the difference."""
        return float(statistic.design_effect(self.ours - self.theirs, self._labels))

    @cached_property
    def interval_cluster(self) -> tuple[float, float]:
        """The 95% score interval of the difference by cluster; where no queries share one, that by
        query.
        """
        if not self.shared:
            return self.interval_query
        differences = self.ours - self.theirs
        ends = (-1.0, 1.0)
        if not self.scale.share:
            ends = (float(differences.min()), float(differences.max()))
        return self._clustered.interval(0.95, *ends)

    @property
    def error(self) -> float:
        """The standard error of the difference, by cluster where queries share one; 0 where nothing
        differs.
        """
        return self._clustered.error

    @cached_property
    def _clustered(self) -> statistic.ClusteredScore:
        return statistic.ClusteredScore.of(
            self.ours - self.theirs, self._labels, "wins" if self.binary else "any"
        )

    @cached_property
    def _labels(self) -> Labels:
        labels = np.arange(self.n) if self.labels is None else self.labels
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def wilson(self) -> tuple[float, float] | None:
        """Wilson's 95% interval of the system's score; None unless values are 0/1."""
        return statistic.wilson(int(self.ours.sum()), self.n) if self.binary else None

    @cached_property
    def wilson_cluster(self) -> tuple[float, float] | None:
        """The same with the effective n, where queries share clusters."""
        if not self.binary or not self.shared:
            return self.wilson
        low, high = statistic.clustered_wilson(self.ours, self._labels).tolist()
        return low, high

    @cached_property
    def odds_ratio(self) -> float | None:
        """The ratio of the two systems' odds; None without a finite value, and unless values are
        0/1.
        """
        if not self.binary:
            return None
        ratio = statistic.odds_ratio(int(self.ours.sum()), int(self.theirs.sum()), self.n)
        return ratio if math.isfinite(ratio) else None

    @cached_property
    def detectable(self) -> float | None:
        """What the test that decides shows with 80% power; None when nothing is.

        The smallest net share of wins at this discordance; of the permutation test the smallest
        mean difference.
        """
        if self.errors is not None and not self.too_few:
            return statistic.smallest_mean(self.errors.error, self.errors.degrees)
        if self.ruling.least > LEVEL:
            return None
        apart, labels = self.ours - self.theirs, self._labels
        if (
            first := statistic.dominant(labels)
        ) is not None:  # its sign is a coin: what is shown is shown by the rest
            apart, labels = apart[labels != first], labels[labels != first]
        n = len(apart) / float(statistic.design_effect(apart, labels))  # the effective one
        if self.test == "flip":
            spread = float(apart.std(ddof=1)) if len(apart) > 1 else 0.0
            return statistic.smallest_mean(spread / n**0.5, n - 1)
        return statistic.smallest_effect(int(n), float((apart != 0).mean()))

    @cached_property
    def units(self) -> int:
        """What changes sides in the test that decides: queries, or clusters of them."""
        return len(np.unique(self._labels))


@dataclass(frozen=True)
class Outcome:
    """What came of a comparison: the numbers of a row of the long frame that is stored and shown.

    Attributes:
        wins, losses: queries.
        difference: the mean of the differences.
        low, high: its 95% interval, the one that decides; None where no query differs, and where
            clusters are too few.
        p: exact McNemar, by query; of a metric that is not 0/1 the sign test.
        p_cluster: the same test over whole clusters; None where no two queries share gold passages,
            and where clusters are too few.
        p_holm: the one of these that decides, corrected for all that was compared together (see
            ``corrected``).
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
    def of(cls, one: Comparison, interval: bool = True) -> Self:
        """The numbers of a comparison.    interval: whether it is wanted."""
        low, high = (one.interval if interval else None) or (None, None)
        numbers = (one.wins, one.losses, one.difference, low, high)
        return cls(*numbers, one.p, one.p_cluster, one.p_holm)

    @property
    def interval(self) -> tuple[float, float] | None:
        """``low`` to ``high``."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def corrected(found: Sequence[C], evaluation: int = 0) -> list[C]:
    """The comparisons with the p that decides, corrected over all of them by Holm.

    Args:
        found: what was compared together.
        evaluation: which evaluation of test they are of, 0 for tune (see ``statistic.charge``).

    Returns:
        The same, in the same order.
    """
    times = statistic.charge(evaluation)
    ps = statistic.holm([one.p_deciding for one in found]).tolist()
    return [
        one.with_fields(p_holm=None if math.isnan(p) else min(1.0, times * p))
        for one, p in zip(found, ps, strict=True)
    ]


def counted_queries(values: Values, labels: Labels | None) -> tuple[Values, Labels | None]:
    """The values float64[T, n] and clusters of the queries that the metric counts: those without
    NaN.
    """
    known = ~np.isnan(values[0])
    return values[:, known], None if labels is None else labels[known]
