"""The permutation test of the differences between two systems."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from harness.core.arrays import Int64Array
from harness.core.errors import whole_number
from harness.evaluation.statistic import cluster_sums

TIE = 1e-9
"""Sums that differ by less than this, relative to their parts, are equal: they were added in
another order.
"""
DRAWN = 1 << 22
"""Number of signs in memory at once; fixed, so that the draws do not depend on the machine."""


def sign_flip(
    differences: ArrayLike, labels: Int64Array | None = None, permutations: int = 10_000
) -> float:
    """Return the two-sided p of the mean of paired differences of any kind (Fisher 1935).

    If the systems do not differ, each difference may as well have the other sign; p is the share of
    patterns of signs whose mean is as far from 0 as the observed one. All patterns are counted if
    there are no more than ``permutations``. Otherwise ``permutations`` patterns are drawn and the
    observed one is added, so that p is at least 1 / (permutations + 1). 1 if nothing differs.

    Args:
        differences: float64[n], one for each item.
        labels: int64[n], clusters; the sums of whole clusters change their sign. None: no clusters.
        permutations: number of patterns.

    >>> sign_flip([0.5, 0.2, 0.1, 0.4, 0.3])
    0.0625
    """
    whole_number("permutations", permutations, 1)
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(
            f"sign_flip: expected one finite number an item, got an array of shape {values.shape}"
        )
    sums = values if labels is None else cluster_sums(values, labels)
    sums = sums[np.abs(sums) > TIE * np.abs(values).max(initial=0)]
    reach = abs(float(sums.sum())) - TIE * float(np.abs(sums).sum())
    if 2 ** len(sums) <= permutations:
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


def smallest_mean(error: float, degrees: float) -> float | None:
    """Return the smallest mean difference that a two-sided t test at .05 finds with about 80%
    power.

    (t of .975 + t of .8) error, with Student's quantiles (Bloom 1995, the minimum detectable
    effect).

    Args:
        error: standard error of the mean, 0 or more; None is returned for 0.
        degrees: degrees of freedom, above 0; None is returned below 1.
    """
    if degrees < 1 or not error > 0:
        return None
    from scipy.special import stdtrit

    return float((stdtrit(degrees, 0.975) + stdtrit(degrees, 0.8)) * error)
