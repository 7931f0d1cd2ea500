"""A comparison of two systems on the same queries: who wins where, whether it is more than chance, how large it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from harness.core.table import LEVEL, SHARES, Scale
from harness.evaluation import statistic
from harness.evaluation.metric.measure import Values
from harness.evaluation.statistic import trials
from harness.evaluation.statistic.cluster import Labels

MARGIN = 0.02
"""The largest difference that does not matter, in the test of equivalence, unless a configuration says another one."""


Test = Literal["sign", "flip"]


@dataclass(frozen=True)
class Ruling:
    """The test that decides in place of the one by query.

    how: ends "p", such as ``by cluster``.    interval: 95%, of the difference.    detectable: see ``Comparison``.
    errors: where runs vary, too, the parts of questions and of runs.
    """

    how: str
    p: float
    interval: tuple[float, float]
    detectable: float | None
    errors: statistic.TwoWay | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a system finds that its baseline does not; everything follows from one value a query of each.

    ours, theirs: float64[n], the two systems' values of a metric on the same queries.
    p: of ``test``. ``sign``: exact McNemar; for a metric that is not 0/1, the sign test of the queries that differ.
    ``flip``: the sign-flip permutation test of the differences themselves.
    binary: whether values are 0 or 1, so that proportions and odds mean something.
    margin: the largest difference that does not matter.
    labels: int64[n], each query's cluster of shared gold passages; what ends in ``_cluster`` follows from them.
    None: each query by itself.
    scale: how scores are said.    ruling: the test that decides in place of ``p``; None: that one does.
    """

    ours: Values
    theirs: Values
    p: float
    binary: bool = True
    margin: float = MARGIN
    labels: Labels | None = None
    test: Test = "sign"
    scale: Scale = SHARES
    ruling: Ruling | None = None

    @classmethod
    def of(
        cls, ours: Values, theirs: Values, binary: bool = True, margin: float = MARGIN, labels: Labels | None = None,
        test: Test = "sign", scale: Scale = SHARES,
    ) -> Comparison:  # fmt: skip
        """The comparison of two arrays of values, on the queries that the metric counts (not NaN)."""
        (ours, theirs), labels = counted(np.stack([ours, theirs]), labels)
        if test == "flip":
            p = statistic.sign_flip(ours - theirs)
        else:
            p = statistic.mcnemar(int((ours > theirs).sum()), int((ours < theirs).sum()))
        return cls(ours, theirs, p, binary, margin, labels, test, scale)

    @classmethod
    def repeated(
        cls, ours: Values, theirs: Values, labels: Labels | None, by_cluster: bool, scale: Scale = SHARES
    ) -> Comparison:
        """The comparison of two systems with the values of several runs, float64[n, r]; r of 1 is allowed for one.

        Wins and losses are those of the means over runs; the two-way t test over questions and runs decides.
        by_cluster: whether clusters of questions vary, and not questions.
        """
        known = ~np.isnan(ours[:, 0])
        ours, theirs, labels = ours[known], theirs[known], None if labels is None else labels[known]
        test = statistic.two_way(ours, theirs, labels if by_cluster else None)
        how = f"over {'clusters' if by_cluster else f'{scale.item}s'} and runs"
        seen = statistic.smallest_mean(test.error, test.degrees)
        one = cls.of(ours.mean(axis=1), theirs.mean(axis=1), False, labels=labels, test="flip", scale=scale)
        return replace(one, ruling=Ruling(how, test.p, test.interval(), seen, test))

    @property
    def n(self) -> int:
        """Number of queries."""
        return len(self.ours)

    @cached_property
    def won(self) -> NDArray[np.int64]:
        """The numbers of the queries on which the system has more than the baseline (PG 4.3: graph_win)."""
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
    def p_mid(self) -> float | None:
        """The mid-p variant of ``p``; None for a permutation test."""
        return None if self.test == "flip" else statistic.mcnemar(self.wins, self.losses, mid_p=True)

    @property
    def p_deciding(self) -> float:
        """The p of the test that decides."""
        return self.p if self.ruling is None else self.ruling.p

    def by_cluster(self) -> Self:
        """The same, decided by the test and the interval by cluster."""
        return replace(self, ruling=Ruling("by cluster", self.p_cluster, self.interval_cluster, self._seen(True)))

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

    def score_interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Tango's interval of the difference; None unless values are 0/1."""
        return statistic.difference_interval(self.wins, self.losses, self.n, level) if self.binary else None

    @cached_property
    def bootstrap(self) -> tuple[float, float]:
        """The paired bootstrap's 95% interval of the difference."""
        return statistic.bootstrap(self.ours - self.theirs)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the difference: the ruling's, else Tango's, or, of no 0/1, the bootstrap's."""
        return self.score_interval() or self.bootstrap if self.ruling is None else self.ruling.interval

    @property
    def shown_interval(self) -> tuple[float, float] | None:
        """``interval`` for a table; None where no query differs, since nothing was seen to vary."""
        return self.interval if self.wins + self.losses else None

    @cached_property
    def p_equivalent(self) -> float | None:
        """Small when the two are shown to differ by less than ``margin``; None unless values are 0/1."""
        return statistic.equivalence(self.wins, self.losses, self.n, self.margin) if self.binary else None

    @cached_property
    def p_cluster(self) -> float:
        """``p`` of the same test in which whole clusters change sides."""
        if self.test == "flip" and self.labels is not None:
            return statistic.sign_flip(self.ours - self.theirs, self.labels)
        signs = np.sign(self.ours - self.theirs)
        return self.p if self.labels is None else statistic.clustered_mcnemar(signs, self.labels)

    @cached_property
    def design_effect(self) -> float:
        """By how much clusters multiply the variance of the difference."""
        return 1.0 if self.labels is None else float(statistic.design_effect(self.ours - self.theirs, self.labels))

    @cached_property
    def interval_cluster(self) -> tuple[float, float]:
        """``interval`` with the effective n, or the bootstrap of clusters where values are not 0/1."""
        if not self.binary and self.labels is not None:
            return statistic.clustered_bootstrap(self.ours - self.theirs, self.labels)
        return statistic.difference_interval(*self._effective()) if self.binary else self.interval

    @cached_property
    def p_equivalent_cluster(self) -> float | None:
        """``p_equivalent`` with the effective n."""
        return statistic.equivalence(*self._effective(), self.margin) if self.binary else None

    def _effective(self) -> tuple[float, float, float]:
        return self.wins / self.design_effect, self.losses / self.design_effect, self.n / self.design_effect

    @cached_property
    def wilson(self) -> tuple[float, float] | None:
        """Wilson's 95% interval of the system's score; None unless values are 0/1."""
        return statistic.wilson(int(self.ours.sum()), self.n) if self.binary else None

    @cached_property
    def odds_ratio(self) -> float | None:
        """The ratio of the two systems' odds; None without a finite value, and unless values are 0/1."""
        if not self.binary:
            return None
        return _finite(statistic.odds_ratio(int(self.ours.sum()), int(self.theirs.sum()), self.n))

    @cached_property
    def paired_odds_ratio(self) -> float | None:
        """W / L; None without a finite value."""
        return _finite(statistic.paired_odds_ratio(self.wins, self.losses))

    @cached_property
    def detectable(self) -> float | None:
        """What the test that decides shows with 80% power; None when nothing is.

        The smallest net share of wins at this discordance; of the permutation test the smallest mean difference.
        """
        if self.least_p > LEVEL:
            return None
        return self._seen(False) if self.ruling is None else self.ruling.detectable

    @cached_property
    def least_p(self) -> float:
        """The least p that the test which decides can give: 2 / 2^u, where all of its u units are won."""
        if self.ruling is not None and self.ruling.errors is not None:
            return 0.0  # a t test
        return float(2.0 ** (1 - self.units))

    @cached_property
    def units(self) -> int:
        """What changes sides in the test that decides: queries, or clusters of them."""
        return self.n if self.ruling is None or self.labels is None else len(np.unique(self.labels))

    def _seen(self, clustered: bool) -> float | None:
        """clustered: with the effective n."""
        n = self.n / self.design_effect if clustered else float(self.n)
        if self.test == "flip":
            spread = float((self.ours - self.theirs).std(ddof=1)) if self.n > 1 else 0.0
            return statistic.smallest_mean(spread / n**0.5, n - 1)
        return statistic.smallest_effect(int(n), (self.wins + self.losses) / self.n)


def corrected_ps(found: Sequence[Comparison | None]) -> list[tuple[float | None, float | None]]:
    """Holm's p over these comparisons, of a difference (by query) and of equivalence (by cluster).

    None for what is not compared, and of equivalence where values are not 0/1.
    """
    pairs = [(one and one.p, one and one.p_equivalent_cluster) for one in found]
    by_kind = [statistic.holm(ps).tolist() for ps in zip(*pairs, strict=True)]
    both = [[None if math.isnan(p) else float(p) for p in ps] for ps in by_kind]
    return list(zip(*both, strict=True))


def counted(values: Values, labels: Labels | None) -> tuple[Values, Labels | None]:
    """The values float64[T, n] and clusters of the queries that the metric counts: those without NaN."""
    known = ~np.isnan(values[0])
    return (values, labels) if known.all() else (values[:, known], None if labels is None else labels[known])


def compare_trials(
    values: Values, baseline: int, binary: bool, margin: float, labels: Labels | None = None
) -> list[Comparison | None]:
    """Each trial against the trial in place ``baseline``, itself None.

    values: float64[T, Q].
    """
    values, labels = counted(values, labels)
    base = values[baseline]
    ps = trials.mcnemar_ps((values > base).sum(axis=1), (values < base).sum(axis=1)).tolist()
    found = [Comparison(own, base, p, binary, margin, labels) for own, p in zip(values, ps, strict=True)]
    return [None if place == baseline else one for place, one in enumerate(found)]


def _finite(ratio: float) -> float | None:
    return ratio if math.isfinite(ratio) else None
