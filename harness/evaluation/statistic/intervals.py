"""Intervals of a proportion (Wilson), a mean (bootstrap) and a mean difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import copysign, inf, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import bounded, whole_number
from harness.evaluation.statistic.clustering import Labels, cluster_sums, degrees, dominant, share
from harness.evaluation.statistic.p_values import check_counts


def difference_interval(
    wins: float, losses: float, n: float, level: float = 0.95
) -> tuple[float, float]:
    """Return Tango's (1998) score interval of (W - L) / n.

    The interval contains all differences of two proportions on the same n questions that the score
    test does not reject. Unlike Wald's it is sound if W or L is 0, and it keeps its level in small
    samples (Fagerland, Lydersen & Laake 2014). (-1, 1) if n is 0.

    >>> tuple(round(100 * end, 1) for end in difference_interval(11, 2, 491))
    (0.5, 3.6)
    """
    bounded("level", level, 0, 1, open_low=True)
    _check(wins, losses, n)
    if n == 0 or level == 1:
        return -1.0, 1.0
    critical = NormalDist().inv_cdf((1 + level) / 2)
    observed = (wins - losses) / n
    low = _root(lambda margin: tango_z(wins, losses, n, margin) > critical, -1.0, observed)
    high = _root(lambda margin: tango_z(wins, losses, n, margin) >= -critical, observed, 1.0)
    return low, high


Kind = Literal["wins", "hits", "any"]


@dataclass(frozen=True)
class ClusteredScore:
    """The score test of a mean over clustered questions, and its interval.

    The statistic is the distance of the sum from its value under a mean m, divided by its standard
    error under m, against Student's t. The error is that of independent questions (Tango's for wins
    and losses, Wilson's for hits, otherwise the root of the sum of (v - m)^2) times the root of
    D(m): the sum of (s_c - m n_c)^2 over clusters, divided by the sum of (v - m)^2 over questions,
    1 or more; s_c is a cluster's sum, n_c its size. At m = 0 it is the normal limit of
    ``clustered_mcnemar``, which flips s_c.

    The sign of a cluster with more than half of the questions is one coin, and the flipped sums
    have two peaks. If there is such a cluster (``largest``: its size and sum; all other fields are
    of the other clusters), the probability of a sum is the mean over the coin's two sides, with the
    error of the others.

    Attributes:
        n, total: number of questions, and their sum.
        squares, clustered: sums of v^2 and of s_c^2.
        crossed: sum of s_c n_c.
        sizes: sum of n_c^2.
        freedom: degrees of freedom, see ``degrees``.
        kind: ``wins`` for values 1, 0 and -1, ``hits`` for 1 and 0, otherwise ``any``.
        counts: number of values above 0, and below.
        largest: size and sum of the dominant cluster; zeros if there is none.
    """

    n: int
    total: float
    squares: float
    clustered: float
    crossed: float
    sizes: float
    freedom: float
    kind: Kind
    counts: tuple[int, int]
    largest: tuple[int, float] = (0, 0.0)

    @classmethod
    def of(cls, values: Float64Array, labels: Labels, kind: Kind) -> ClusteredScore:
        """Return the score of values float64[n], n >= 1."""
        sums, sizes = cluster_sums(values, labels), np.bincount(labels)
        freedom, largest = degrees(labels), (0, 0.0)
        if (first := dominant(labels)) is not None:
            largest = int(sizes[first]), float(sums[first])
            values = values[labels != first]
            sums, sizes = np.delete(sums, first), np.delete(sizes, first)
        counts = int((values > 0).sum()), int((values < 0).sum())
        return cls(
            len(values),
            float(values.sum()),
            float((values**2).sum()),
            float((sums**2).sum()),
            float((sums * sizes).sum()),
            float((sizes**2).sum()),
            freedom,
            kind,
            counts,
            largest,
        )

    def statistic(self, mean: float) -> float:
        """Return the distance of the sum from that under ``mean`` in standard errors."""
        distance = self.total - self.n * mean
        squares = self.squares - 2 * mean * self.total + self.n * mean**2
        if self.largest[0]:
            return self._with_coin(mean, distance, squares)
        if squares <= 1e-12 * self.n or abs(distance) <= 1e-12 * self.n:
            return 0.0 if abs(distance) <= 1e-12 * self.n else copysign(inf, distance)
        if self.kind == "wins":
            alone = tango_z(*self.counts, self.n, mean)
        elif self.kind == "hits":
            alone = distance / sqrt(self.n * mean * (1 - mean))
        else:
            alone = distance / sqrt(squares)
        return alone / sqrt(max(1.0, self._grouped(mean) / squares))

    def _with_coin(self, mean: float, distance: float, squares: float) -> float:
        """Return Student's quantile of the probability of the whole sum.

        Args:
            mean: the mean under test.
            distance: distance of the clusters other than ``largest``.
            squares: their sum of squares.
        """
        from scipy.special import stdtr, stdtrit

        variance = {
            "wins": _variance(*self.counts, self.n, mean),
            "hits": self.n * mean * (1 - mean),
            "any": squares,
        }
        ratio = max(1.0, self._grouped(mean) / squares) if squares > 1e-12 * self.n else 1.0
        error = sqrt(max(variance[self.kind] * ratio, 1e-24))
        coin = self.largest[1] - self.largest[0] * mean
        observed = abs(distance + coin)
        sides = [(coin - observed) / error, -(coin + observed) / error]
        above = float(stdtr(self.freedom, sides).mean())
        return copysign(float(stdtrit(self.freedom, above)), distance + coin)

    def _grouped(self, mean: float) -> float:
        """Return the sum of (s_c - m n_c)^2."""
        return self.clustered - 2 * mean * self.crossed + mean**2 * self.sizes

    def interval(
        self, level: float = 0.95, low: float = -1.0, high: float = 1.0
    ) -> tuple[float, float]:
        """Return all means between ``low`` and ``high`` that the test does not reject."""
        from scipy.special import stdtrit

        bounded("level", level, 0, 1, open_low=True)
        critical = float(stdtrit(self.freedom, (1 + level) / 2))
        observed = (self.total + self.largest[1]) / (self.n + self.largest[0])
        return (
            _root(lambda mean: self.statistic(mean) > critical, low, observed),
            _root(lambda mean: self.statistic(mean) >= -critical, observed, high),
        )


def tango_z(wins: float, losses: float, n: float, margin: float) -> float:
    """Return Tango's z: the distance of (W - L) / n from ``margin`` in standard errors."""
    variance, distance = _variance(wins, losses, n, margin), wins - losses - n * margin
    if variance <= 0:
        return copysign(inf, distance) if distance else 0.0
    return distance / sqrt(variance)


def _variance(wins: float, losses: float, n: float, margin: float) -> float:
    """Return Tango's variance of W - L under a difference of ``margin``.

    The share of losses is its maximum-likelihood estimate.
    """
    linear = (2 * n - wins + losses) * margin - wins - losses
    lost = (sqrt(max(0.0, linear**2 + 8 * n * losses * margin * (1 - margin))) - linear) / (4 * n)
    return n * (2 * lost + margin * (1 - margin))


def _root(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return the point between the two ends at which ``holds`` turns from true to false."""
    while high - low > 1e-12 and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


def _check(wins: float, losses: float, n: float) -> None:
    check_counts(wins=wins, losses=losses, n=n)
    if wins + losses > n:
        raise ValueError(f"wins and losses must be together at most n={n}, got {wins} and {losses}")


BLOCK = 1 << 22
"""Number of resampled values in memory at once (32 MiB)."""
UNIT = 2.0**30
"""The greatest value of a row in its units (see ``whole_units``)."""


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's (1927) score interval of ``successes`` out of ``n``; (0, 1) if n is 0.

    Divide both by a design effect for the interval by cluster.

    >>> tuple(round(100 * end, 1) for end in wilson(26, 66))
    (28.5, 51.5)
    """
    bounded("level", level, 0, 1, open_low=True)
    check_counts(successes=successes, n=n)
    if successes > n:
        raise ValueError(f"wilson: successes must be in [0, n={n}], got successes={successes}")
    if n == 0 or level == 1:
        return 0.0, 1.0
    low, high = wilson_bounds(np.array(successes), n, level).tolist()
    return low, high


def wilson_bounds(
    successes: Int64Array | Float64Array, n: float | Float64Array, level: float = 0.95
) -> Float64Array:
    """Return float64[T, 2], Wilson's interval of each trial's successes out of n >= 1, or effective
    n.
    """
    from scipy.special import ndtri

    z2, portion = ndtri((1 + level) / 2) ** 2, successes / n
    middle = (portion + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * (portion * (1 - portion) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low = np.where(successes == 0, 0, middle - reach)
    high = np.where(successes == n, 1, middle + reach)
    return np.stack([low, high], axis=-1)


def clustered_wilson(values: Float64Array, labels: Labels | None) -> Float64Array:
    """Return float64[..., 2], Wilson's 95% interval of the mean of 0/1 ``values`` [..., Q].

    By cluster if questions share one.
    """
    if labels is None or not share(labels):
        return wilson_bounds(values.sum(axis=-1), values.shape[-1])
    clusters = np.unique(labels, return_inverse=True)[1]
    rows = [
        ClusteredScore.of(row, clusters, "hits").interval(low=0.0, high=1.0)
        for row in values.reshape(-1, len(clusters))
    ]
    return np.array(rows).reshape(*values.shape[:-1], 2)


def bootstrap(
    values: ArrayLike, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Return the percentile interval of the mean of ``values``, resampling questions (Efron 1979).

    It is seeded, so the same values always give the same interval. (NaN, NaN) without values.
    """
    whole_number("resamples", resamples, 1)
    bounded("level", level, 0, 1, open_low=True)
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not np.isfinite(sample).all():
        raise ValueError(
            "bootstrap: values must be one finite number a query, got an array of shape "
            f"{sample.shape}"
        )
    low, high = bootstrap_means(sample[None], resamples, level, seed)[0].tolist()
    return low, high


def bootstrap_means(
    values: Float64Array, resamples: int = 10_000, level: float = 0.95, seed: int = 0
) -> Float64Array:
    """Return float64[T, 2], the percentile interval of the mean of each row of ``values`` [T, Q].

    All rows have the same resamples. NaN if Q is 0.
    """
    rows, count = values.shape
    if not rows or not count:
        return np.full((rows, 2), np.nan)
    units, greatest = whole_units(values), np.abs(values).max(axis=1, keepdims=True)
    draw = np.random.Generator(np.random.PCG64(seed))
    sums, step = np.empty((rows, resamples)), max(1, BLOCK // count)
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        drawn = draw.integers(0, count, size=(size, count))
        drawn += np.arange(size)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
        sums[:, start : start + size] = units @ times.T.astype(np.float64)
    ends = np.quantile(sums, [(1 - level) / 2, (1 + level) / 2], axis=1).T
    return np.asarray(ends / count / UNIT * greatest)


def whole_units(values: Float64Array) -> Float64Array:
    """Return float64[T, Q], each row of ``values`` as whole numbers of its greatest size / 2**30.

    Their sums are exact, so that they do not depend on the order in which a machine adds.
    """
    greatest = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    greatest[greatest == 0] = 1.0
    return np.asarray(np.rint(values / greatest * UNIT))
