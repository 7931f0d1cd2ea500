"""Many trials at once: the max-statistic permutation test, which keeps the dependence between them exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.errors import HarnessError, bounded
from harness.evaluation.statistic.cluster import cluster_sums

BLOCK = 1000
"""Permutations held at once. Fixed, so that the random signs do not depend on the machine."""


def max_statistic(
    signs: ArrayLike, permutations: int = 10_000, seed: int = 0, labels: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """float64[T]: each trial's p value, adjusted for the search over all T trials (Westfall & Young 1993, step-down).

    signs: [T, Q], +1 where the trial wins a query against the baseline, -1 where it loses, 0 where they agree.
    labels: each query's cluster; then whole clusters change places, and a trial's statistic is the square of its net
    wins divided by the sum of the squares of its clusters' net wins. None: each query by itself.

    If no trial differs from the baseline, winning and losing may change places in any query, for all trials together.
    So the outcomes of each query are multiplied by one random sign, 10,000 times, and a trial's p is the share of
    times (the observed one counts) that chance gives any trial, of those not better placed, a statistic as great.
    The statistic is (W - L)^2 / (W + L), McNemar's; two-sided. Trials that nearly repeat each other cost nothing,
    where Holm's correction counts each of them. Signs are integers, so sums are exact in every order of adding:
    the same seed gives the same bits for any number of threads. At least 1 / (permutations + 1).
    """
    bounded("permutations", permutations, 1)
    values = np.asarray(signs)
    if values.ndim != 2 or not np.isin(values, (-1, 0, 1)).all():
        raise HarnessError(f"max_statistic: signs must be -1, 0 or 1 by trial and query, got shape {values.shape}")
    nets = values if labels is None else cluster_sums(values.astype(np.float64), labels)
    different, place = _distinct(nets.astype(np.int32))
    differ = (different**2).sum(axis=1, dtype=np.int64)
    found = np.ones(len(different))
    tested = np.flatnonzero(differ)
    if len(tested):
        found[tested] = _stepped_down(different[tested], differ[tested], permutations, seed)
    return found[place]


def _distinct(values: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The different trials, and which of them each trial is: a trial and its mirror image have the same p."""
    first = np.take_along_axis(values, np.argmax(values != 0, axis=1)[:, None], axis=1) if values.shape[1] else 1
    places: dict[bytes, int] = {}
    canonical = np.where(first < 0, -values, values)
    number = [places.setdefault(row.tobytes(), len(places)) for row in canonical]
    places_of = np.array(number, dtype=np.int64)
    return canonical[np.unique(places_of, return_index=True)[1]], places_of


def _stepped_down(values: NDArray[np.int32], differ: NDArray[np.int64], times: int, seed: int) -> NDArray[np.float64]:
    queries = values[:, np.abs(values).any(axis=0)].T.astype(np.float32)
    observed = queries.sum(axis=0, dtype=np.float64) ** 2 / differ
    order = np.argsort(observed, kind="stable")  # ascending: a running maximum is that of the trials placed below
    queries, observed, scale = queries[:, order], observed[order], differ[order].astype(np.float64)
    draw = np.random.Generator(np.random.PCG64(seed))
    reached = np.zeros(len(order), dtype=np.int64)
    for start in range(0, times, BLOCK):
        flips = draw.integers(0, 2, size=(min(BLOCK, times - start), len(queries)), dtype=np.int8) * 2 - 1
        statistic = (flips.astype(np.float32) @ queries).astype(np.float64) ** 2 / scale
        reached += (np.maximum.accumulate(statistic, axis=1) >= observed).sum(axis=0)
    found = np.empty(len(order))
    found[order] = np.maximum.accumulate(((1 + reached) / (1 + times))[::-1])[::-1]
    return found
