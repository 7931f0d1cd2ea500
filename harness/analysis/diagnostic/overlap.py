"""Rank-biased overlap: how alike two ranked lists are, the head counting most."""

from __future__ import annotations

from collections.abc import Sequence

from harness.core.errors import bounded


def overlap(one: Sequence[int], other: Sequence[int], p: float = 0.9) -> float:
    """RBO_ext of Webber, Moffat and Zobel (2010, eq. 32), in [0, 1]; 1 for equal lists, 0 for disjoint ones.

    With l >= s the two lengths, X_d what the first d of both share:
    (1 - p) / p (sum_{d <= l} X_d / d p^d + sum_{s < d <= l} X_s (d - s) / (s d) p^d) + ((X_l - X_s) / l + X_s / s) p^l.
    Two empty lists are equal; an empty one shares nothing with another.    p: in (0, 1); .9 gives the first ten 86%.
    """
    bounded("diagnose.p", p, 0, 1, open_low=True)
    short, long = sorted((one, other), key=len)
    if not long:
        return 1.0
    if not short:
        return 0.0
    s, size = len(short), len(long)
    shared, seen_short, seen_long = 0, set[int](), set[int]()
    agreed: list[int] = []
    for depth in range(1, size + 1):
        seen_long.add(long[depth - 1])
        shared += long[depth - 1] in seen_short
        if depth <= s:
            seen_short.add(short[depth - 1])
            shared += short[depth - 1] in seen_long
        agreed.append(shared)
    whole = sum(agreed[d - 1] / d * p**d for d in range(1, size + 1))
    whole += sum(agreed[s - 1] * (d - s) / (s * d) * p**d for d in range(s + 1, size + 1))
    return (1 - p) / p * whole + ((agreed[-1] - agreed[s - 1]) / size + agreed[s - 1] / s) * p**size
