"""Tango's interval against R's PropCIs and a published table."""

import numpy as np
import pytest

from harness.evaluation.statistic import difference_interval


def test_published_intervals():
    """Airway hyper-responsiveness (Bentur et al. 2009) as in Fagerland, Lydersen & Laake 2014: 1 of
    21 against 7.
    """
    low, high = difference_interval(1, 7, 21)
    assert (round(low, 3), round(high, 3)) == (-0.517, -0.026)


@pytest.mark.parametrize(
    ("wins", "losses", "n", "level", "low", "high"),
    [(28, 25, 618, 0.9, -0.0148, 0.0247), (48, 41, 549, 0.9, -0.0157, 0.0414)],
)
def test_intervals_of_propcis_in_r(wins, losses, n, level, low, high):
    """``PropCIs::scoreci.mp(losses, wins, n, level)``, run by others."""
    assert difference_interval(wins, losses, n, level) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_covers():
    rng, inside = np.random.default_rng(2), 0
    for _ in range(2000):
        lost, won, _ = rng.multinomial(200, [0.03, 0.06, 0.91])
        low, high = difference_interval(int(won), int(lost), 200)
        inside += low <= 0.03 <= high
    assert inside / 2000 == pytest.approx(0.95, abs=0.015)


def test_what_is_refused():
    with pytest.raises(ValueError, match="together at most n=10"):
        difference_interval(6, 5, 10)


SEEN = [(7, 2, 40), (3, 0, 12), (20, 0, 20), (1, 1, 5), (12, 30, 300), (8, 1, 514), (0, 0, 100)]


@pytest.mark.parametrize(("wins", "losses", "n"), SEEN)
def test_both_bounds_change_places_with_wins_and_losses(wins, losses, n):
    low, high = difference_interval(wins, losses, n)
    other_low, other_high = difference_interval(losses, wins, n)
    assert (low, high) == pytest.approx((-other_high, -other_low), abs=1e-9)
    assert -1 <= low <= (wins - losses) / n <= high <= 1
    assert difference_interval(wins, losses, n, 0.9)[0] >= low
    # At each bound Tango's score is the normal quantile, unless the bound is the end of the scale.
    for bound, quantile in ((low, 1.959963985), (high, -1.959963985)):
        if abs(bound) < 1 - 1e-9:
            assert tango(wins, losses, n, bound) == pytest.approx(quantile, abs=1e-5)


def tango(wins, losses, n, margin):
    """Tango (1998), equations 3 and 4, written out: z at a margin, q21 the restricted maximum
    likelihood estimate.
    """
    b = -wins - losses + (2 * n - wins + losses) * margin
    c = -losses * margin * (1 - margin)
    q21 = ((b * b - 4 * (2 * n) * c) ** 0.5 - b) / (2 * (2 * n))
    return (wins - losses - n * margin) / (n * (2 * q21 + margin * (1 - margin))) ** 0.5


def test_without_queries_or_without_doubt_every_difference_is_possible():
    assert difference_interval(0, 0, 0) == (-1, 1)
    assert difference_interval(3, 1, 9, level=1) == (-1, 1)
    low, high = difference_interval(1, 0, 1)
    assert (tango(1, 0, 1, low), high) == (pytest.approx(1.959963985, abs=1e-5), 1)
