"""The difference of two paired proportions: Tango's score interval, and the test of equivalence that belongs to it."""

from __future__ import annotations

from collections.abc import Callable
from math import erfc, sqrt
from statistics import NormalDist

from harness.core.errors import HarnessError, bounded


def difference_interval(wins: float, losses: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Tango's (1998) score interval of (W - L) / n, the difference of two proportions on the same n queries.

    All differences that the score test does not reject. It behaves where W or L is 0, unlike Wald's, and keeps its
    level in small samples (Fagerland, Lydersen & Laake 2014). (-1, 1) when n is 0. Counts divided by a design effect
    give the interval by cluster.

    >>> tuple(round(100 * end, 1) for end in difference_interval(11, 2, 491))
    (0.5, 3.6)
    """
    bounded("level", level, 0, 1, open_low=True)
    _check(wins, losses, n)
    if n == 0 or level == 1:
        return -1.0, 1.0
    critical = NormalDist().inv_cdf((1 + level) / 2)
    seen = (wins - losses) / n
    low = _root(lambda margin: _score(wins, losses, n, margin) > critical, -1.0, seen)
    high = _root(lambda margin: _score(wins, losses, n, margin) >= -critical, seen, 1.0)
    return low, high


def equivalence(wins: float, losses: float, n: float, margin: float) -> float:
    """Test that the two proportions differ by ``margin`` or more: a small p means equivalent.

    margin: the largest difference that does not matter, in (0, 1), e.g. .02 for two points. Two one-sided tests
    (Schuirmann 1987), each Tango's score test at its margin (Liu et al. 2002); p is the greater one. p < .05 exactly
    when the 90% score interval lies within the margins. A McNemar p > .05 is no evidence of equivalence; this is.
    """
    bounded("margin", margin, 0, 1, open_low=True)
    _check(wins, losses, n)
    if n == 0 or margin == 1:
        return 1.0 if n == 0 else 0.0
    above, below = _score(wins, losses, n, -margin), -_score(wins, losses, n, margin)
    return 0.5 * erfc(min(above, below) / sqrt(2))


def _score(wins: float, losses: float, n: float, margin: float) -> float:
    """Tango's z: how far (W - L) / n is from ``margin``, the share of losses being the likeliest one under it."""
    linear = (2 * n - wins + losses) * margin - wins - losses
    lost = (sqrt(max(0.0, linear**2 + 8 * n * losses * margin * (1 - margin))) - linear) / (4 * n)
    variance = n * (2 * lost + margin * (1 - margin))
    apart = wins - losses - n * margin
    if variance <= 0:
        return 0.0 if apart == 0 else float("inf") if apart > 0 else float("-inf")
    return apart / sqrt(variance)


def _root(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where ``holds`` turns from true to false between the two ends."""
    while high - low > 1e-12 and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return (low + high) / 2


def _check(wins: float, losses: float, n: float) -> None:
    if min(wins, losses) < 0 or wins + losses > n:
        raise HarnessError(f"wins and losses must be at least 0 and together at most n={n}, got {wins} and {losses}")
