"""The permutation test of one pair of systems by its differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.errors import HarnessError, whole_number
from harness.evaluation.statistic.clustering import cluster_sums

TIE = 1e-9
"""Sums that differ by less, relative to their parts, are equal: they were added in another order.
"""
DRAWN = 1 << 22
"""Signs of ``sign_flip`` held at once. Fixed, so that they do not depend on the machine."""


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
