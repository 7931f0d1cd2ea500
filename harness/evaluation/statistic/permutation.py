"""Permutation tests: of one pair of systems by its differences, and of many trials at once by the
max statistic.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.errors import HarnessError, whole_number
from harness.evaluation.statistic.cluster import cluster_sums

BLOCK = 1000
"""Permutations held at once. Fixed, so that the random signs do not depend on the machine."""
TIE = 1e-9
"""Sums that differ by less, relative to their parts, are equal: they were added in another order.
"""
DRAWN = 1 << 22
"""Signs of ``sign_flip`` held at once. Fixed, too."""


def sign_flip(
    differences: ArrayLike, labels: NDArray[np.int64] | None = None, permutations: int = 10_000
) -> float:
    """Two-sided p of the mean of paired differences, for scores of any kind (Fisher 1935).

    differences: float64[n], one an item. If the systems do not differ, each may as well have the
    other sign; p is the share of signs that give a mean as far from 0 as the observed one.
    labels: int64[n], each item's cluster; then the sums of whole clusters change their sign. None:
    each item by itself. All patterns of signs are counted where there are at most ``permutations``
    of them; otherwise so many are drawn, the observed one counts among them, and p is at least 1 /
    (permutations + 1). 1 where nothing differs.

    >>> sign_flip([0.5, 0.2, 0.1, 0.4, 0.3])
    0.0625
    """
    whole_number("permutations", permutations, 1)
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise HarnessError(
            f"sign_flip: expected one finite number an item, got an array of shape {values.shape}"
        )
    sums = values if labels is None else cluster_sums(values, labels)
    sums = sums[np.abs(sums) > TIE * np.abs(values).max(initial=0)]
    reach = abs(float(sums.sum())) - TIE * float(np.abs(sums).sum())
    if len(sums) < 60 and 2 ** len(sums) <= permutations:
        patterns = np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1
        return float((np.abs((2 * patterns - 1) @ sums) >= reach).mean())
    draw = np.random.Generator(np.random.PCG64(0))
    step, reached = max(1, DRAWN // len(sums)), 0
    for start in range(0, permutations, step):
        flips = (
            draw.integers(0, 2, size=(min(step, permutations - start), len(sums)), dtype=np.int8)
            * 2
            - 1
        )
        reached += int((np.abs(flips @ sums) >= reach).sum())
    return (1 + reached) / (1 + permutations)


def max_statistic(
    signs: ArrayLike,
    permutations: int = 10_000,
    seed: int = 0,
    labels: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """float64[T]: each trial's p value, adjusted for the search over all T trials (Westfall & Young
    1993, step-down).

    signs: [T, Q], +1 where the trial wins a query against the baseline, -1 where it loses, 0 where
    they agree.
    labels: each query's cluster; then whole clusters change places, and a trial's statistic is the
    square of its net wins divided by the sum of the squares of its clusters' net wins. None: each
    query by itself.

    If no trial differs from the baseline, winning and losing may change places in any query, for
    all trials together. So the outcomes of each query are multiplied by one random sign, 10,000
    times, and a trial's p is the share of times (the observed one counts) that chance gives any
    trial, of those not better placed, a statistic as great. The statistic is (W - L)^2 / (W + L),
    McNemar's; two-sided. Trials that nearly repeat each other cost nothing, where Holm's correction
    counts each of them. Signs are integers, so sums are exact in every order of adding: the same
    seed gives the same bits for any number of threads. At least 1 / (permutations + 1).
    """
    whole_number("permutations", permutations, 1)
    values = np.asarray(signs)
    if values.ndim != 2 or not np.isin(values, (-1, 0, 1)).all():
        raise HarnessError(
            f"max_statistic: signs must be -1, 0 or 1 by trial and query, got shape {values.shape}"
        )
    nets = values if labels is None else cluster_sums(values.astype(np.float64), labels)
    different, place = _distinct(nets.astype(np.int32))
    differ = (different**2).sum(axis=1, dtype=np.int64)
    found = np.ones(len(different))
    tested = np.flatnonzero(differ)
    if len(tested):
        found[tested] = _stepped_down(different[tested], differ[tested], permutations, seed)
    return found[place]


def _distinct(values: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The different trials, and which of them each trial is: a trial and its mirror image have the
    same p.
    """
    first = (
        np.take_along_axis(values, np.argmax(values != 0, axis=1)[:, None], axis=1)
        if values.shape[1]
        else 1
    )
    places: dict[bytes, int] = {}
    canonical = np.where(first < 0, -values, values)
    number = [places.setdefault(row.tobytes(), len(places)) for row in canonical]
    places_of = np.array(number, dtype=np.int64)
    return canonical[np.unique(places_of, return_index=True)[1]], places_of


def _stepped_down(
    values: NDArray[np.int32], differ: NDArray[np.int64], times: int, seed: int
) -> NDArray[np.float64]:
    queries = values[:, np.abs(values).any(axis=0)].T.astype(np.float32)
    observed = queries.sum(axis=0, dtype=np.float64) ** 2 / differ
    order = np.argsort(
        observed, kind="stable"
    )  # ascending: a running maximum is that of the trials placed below
    queries, observed, scale = queries[:, order], observed[order], differ[order].astype(np.float64)
    draw = np.random.Generator(np.random.PCG64(seed))
    reached = np.zeros(len(order), dtype=np.int64)
    for start in range(0, times, BLOCK):
        flips = (
            draw.integers(0, 2, size=(min(BLOCK, times - start), len(queries)), dtype=np.int8) * 2
            - 1
        )
        statistic = (flips.astype(np.float32) @ queries).astype(np.float64) ** 2 / scale
        reached += (np.maximum.accumulate(statistic, axis=1) >= observed).sum(axis=0)
    found = np.empty(len(order))
    found[order] = np.maximum.accumulate(((1 + reached) / (1 + times))[::-1])[::-1]
    return found
