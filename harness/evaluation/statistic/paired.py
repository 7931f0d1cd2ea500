"""The one test of paired differences: a mean, its interval, and the p of the same statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from harness.core.arrays import Float64Array
from harness.evaluation.statistic.clustering import Labels, cluster_sums, clustered_mcnemar
from harness.evaluation.statistic.intervals import (
    ClusteredScore,
    bootstrap_means,
    difference_interval,
    whole_units,
)
from harness.evaluation.statistic.p_values import mcnemar_ps

EXACT = 16
"""The largest number of differing units whose patterns of signs are all counted."""
FLIPS = 100_000
"""Number of patterns of signs that are drawn if more units differ."""
PATTERNS, COLUMNS = 4_000, 1_000
"""Numbers of patterns and of units in one product of signs."""


@dataclass(frozen=True)
class PairedTest:
    """The test of the mean of paired differences.

    Attributes:
        difference: the mean.
        interval: its 95% interval.
        p: two-sided p of a mean of 0.
    """

    difference: float
    interval: tuple[float, float]
    p: float


def is_mcnemar(differences: Float64Array) -> bool:
    """Return whether all differences are -1, 0 or 1, so that the test is exact McNemar."""
    return bool(np.isin(differences, (-1.0, 0.0, 1.0)).all())


def paired_tests(
    differences: Float64Array, labels: Labels | None = None, share: bool = True
) -> list[PairedTest]:
    """Return the test of each row of paired differences float64[T, Q].

    If all differences of a row are -1, 0 or 1, it is exact McNemar with Tango's interval. Otherwise
    it is the sign-flip test of the mean with a bootstrap interval. By cluster, the sums of whole
    clusters flip, and the interval is ``ClusteredScore``'s.

    Args:
        differences: float64[T, Q], finite.
        labels: int64[Q] from 0, the cluster of each question; None: by question.
        share: whether scores lie in [0, 1], so that a mean difference lies in [-1, 1].
    """
    counts = np.array([is_mcnemar(row) for row in differences], dtype=np.bool_)
    ps = np.ones(len(differences))
    intervals = np.zeros((len(differences), 2))
    if labels is None:
        ps[counts] = _mcnemar(differences[counts])
        for place in np.flatnonzero(counts):
            intervals[place] = _tango(differences[place])
        ps[~counts] = sign_flip(differences[~counts])
        intervals[~counts] = bootstrap_means(differences[~counts])
    else:
        ps[counts] = [clustered_mcnemar(row, labels) for row in differences[counts]]
        ps[~counts] = sign_flip(differences[~counts], labels)
        intervals[:] = [
            _clustered(row, labels, bool(exact), share)
            for row, exact in zip(differences, counts, strict=True)
        ]
    return [
        PairedTest(float(row.mean()), (float(low), float(high)), float(p))
        for row, (low, high), p in zip(differences, intervals, ps, strict=True)
    ]


def _mcnemar(differences: Float64Array) -> Float64Array:
    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    return mcnemar_ps(wins, losses)


def _tango(row: Float64Array) -> tuple[float, float]:
    return difference_interval(int((row > 0).sum()), int((row < 0).sum()), len(row))


def _clustered(row: Float64Array, labels: Labels, exact: bool, share: bool) -> tuple[float, float]:
    ends = (-1.0, 1.0) if share else (float(row.min()), float(row.max()))
    kind: Literal["any", "wins"] = "wins" if exact else "any"
    return ClusteredScore.of(row, labels, kind).interval(0.95, *ends)


def sign_flip(differences: Float64Array, labels: Labels | None = None) -> Float64Array:
    """Return float64[T], the two-sided p of the mean of each row of paired differences.

    If two systems do not differ, each difference may as well have the other sign (Fisher 1935). p
    is the share of patterns of signs whose mean is at least as far from 0 as the observed one. All
    patterns are counted if up to ``EXACT`` units differ. Otherwise ``FLIPS`` patterns are drawn
    with a fixed seed, and p is (1 + hits) / (1 + FLIPS), which is never 0. p is 1 if nothing
    differs. The patterns are the same for all rows, so the p of a row does not depend on the
    others.

    Args:
        differences: float64[T, Q], finite.
        labels: int64[Q] from 0, clusters whose sums flip; None: each question flips.

    >>> sign_flip(np.array([[0.5, 0.2, 0.1, 0.4, 0.3]])).tolist()
    [0.0625]
    """
    units, count = whole_units(differences), differences.shape[1]
    rounding = np.ones(count)
    if labels is not None:
        units, rounding = cluster_sums(units, labels), np.bincount(labels).astype(np.float64)
    units = np.where(np.abs(units) > rounding, units, 0.0)
    ps, drawn = np.ones(len(units)), []
    for place, row in enumerate(units):
        differing = row[row != 0]
        if len(differing) > EXACT:
            drawn.append(place)
        elif len(differing):
            ps[place] = _count_all(differing, count)
    if drawn:
        ps[drawn] = _draw(units[drawn], count)
    return ps


def _count_all(units: Float64Array, rounding: int) -> float:
    """Return the share of all patterns of signs whose sum is as far from 0 as the observed one."""
    sums = np.zeros(1)
    for value in units:
        sums = np.concatenate([sums - value, sums + value])
    return float((np.abs(sums) >= abs(float(units.sum())) - rounding).mean())


def _draw(units: Float64Array, rounding: int) -> Float64Array:
    """Return the p of each row from drawn patterns.

    The first differing unit of each row has the first sign of a pattern, and so on. A row's p
    therefore does not depend on the other rows, nor on units that do not differ.
    """
    differing = [row[row != 0] for row in units]
    most = max(map(len, differing))
    packed = np.stack([np.pad(row, (0, most - len(row))) for row in differing])
    observed = packed.sum(axis=1, keepdims=True)
    hits = np.zeros(len(differing), dtype=np.int64)
    for block in range(FLIPS // PATTERNS):
        draw, sums = np.random.Generator(np.random.PCG64([0, block])), np.zeros((1, PATTERNS))
        for start in range(0, most, COLUMNS):
            part = packed[:, start : start + COLUMNS]
            bits = np.frombuffer(draw.bytes(part.shape[1] * PATTERNS // 8), np.uint8)
            signs = np.unpackbits(bits).reshape(-1, PATTERNS).astype(np.float64)
            sums = sums + part @ signs  # exact: whole numbers below 2**53
        hits += (np.abs(2 * sums - observed) >= np.abs(observed) - rounding).sum(axis=1)
    return np.asarray((1 + hits) / (1 + FLIPS))
