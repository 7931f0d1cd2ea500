"""Systems of one benchmark judged: scores with intervals by cluster, every pair, and who is not shown to differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from harness.evaluation.comparison import Comparison, corrected
from harness.evaluation.metric import Metric, Values, average
from harness.evaluation.statistic import ClusteredScore, Labels, clustered_wilson


@dataclass(frozen=True, eq=False)
class Pair:
    """Two systems by their numbers, the first of which scores at least as much, and how they compare.

    Its p by cluster is corrected for all pairs of the benchmark.
    """

    first: int
    second: int
    compared: Comparison


@dataclass(frozen=True, eq=False)
class Standing:
    """S systems on the n queries that the board's metric counts, best first.

    ranks: int32[S, n, H], gold ranks.    labels: int64[n], each query's cluster of shared gold passages.
    """

    metric: Metric
    ranks: NDArray[np.int32]
    labels: Labels

    @cached_property
    def values(self) -> Values:
        """float64[S, n]: the metric's value of each system and query."""
        return np.stack([self.metric(one) for one in self.ranks])

    @cached_property
    def intervals(self) -> list[tuple[float, float]]:
        """95% intervals of the scores by cluster: Wilson's with the error of its clusters, else the score interval."""
        if not self.metric.binary:
            return [ClusteredScore.of(one, self.labels, "any").interval(low=0.0, high=1.0) for one in self.values]
        return [(low, high) for low, high in clustered_wilson(self.values, self.labels).tolist()]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every two systems, with Holm's correction over all of them."""
        pairs = [(first, second) for second in range(1, len(self.values)) for first in range(second)]
        found = [
            Comparison.of(self.values[first], self.values[second], self.metric.binary, labels=self.labels)
            for first, second in pairs
        ]
        return [Pair(*pair, one) for pair, one in zip(pairs, corrected(found), strict=True)]

    @cached_property
    def different(self) -> NDArray[np.bool_]:
        """bool[S, S]: whether two systems are shown to differ."""
        apart = np.zeros((len(self.values), len(self.values)), dtype=np.bool_)
        for pair in self.pairs:
            apart[pair.first, pair.second] = apart[pair.second, pair.first] = pair.compared.finding != "even"
        return apart

    def scores_on(self, metric: Metric) -> list[float]:
        """The systems' means by another metric."""
        return [float(average(metric(one))) for one in self.ranks]
