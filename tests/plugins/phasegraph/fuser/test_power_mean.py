import pytest

from harness.plugins.phasegraph.fuser.power_mean import PowerMean


def test_by_hand(scores, two_lists) -> None:
    expected = {"a": (0.75 + 0.25 * 0.5**0.5) ** 2, "b": (0.75 * 0.5**0.5) ** 2, "c": 0.25**2}
    assert scores(PowerMean(alpha=0.75, r=0.5), two_lists) == pytest.approx(expected, rel=1e-14)


def test_with_r_one_it_is_linear(scores, two_lists) -> None:
    expected = {"a": 0.875, "b": 0.375, "c": 0.25}
    assert scores(PowerMean(alpha=0.75, r=1), two_lists) == pytest.approx(expected, rel=1e-14)
