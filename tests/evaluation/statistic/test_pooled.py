"""The random-effects model over benchmarks, worked by hand where errors are equal, and what it
refuses.
"""

import numpy as np
import pytest
from scipy.stats import t

from harness.core.errors import HarnessError
from harness.evaluation.comparison import Comparison
from harness.evaluation.statistic import pooled


def test_equal_errors_by_hand():
    """Mean .3; spread^2 = the variance of .1 .2 .3 .6, .14 / 3, less .05^2; error^2 of the mean
    (.14 / 3) / 4.
    """
    found = pooled([0.1, 0.2, 0.3, 0.6], [0.05] * 4)
    between, error = 0.14 / 3 - 0.05**2, (0.14 / 12) ** 0.5
    assert found.mean == pytest.approx(0.3)
    assert found.spread == pytest.approx(between**0.5)
    reach = t.ppf(0.975, 3) * error
    assert found.interval == pytest.approx((0.3 - reach, 0.3 + reach))
    beyond = t.ppf(0.975, 2) * (between + error**2) ** 0.5
    assert found.further == pytest.approx((0.3 - beyond, 0.3 + beyond))
    kept = between / (between + 0.05**2)
    assert found.each == pytest.approx([0.3 + kept * (d - 0.3) for d in (0.1, 0.2, 0.3, 0.6)])


def test_benchmarks_that_agree_have_no_spread_and_are_one():
    found = pooled([0.02, 0.02, 0.02], [0.01, 0.02, 0.03])
    assert (found.spread, found.each) == (0, pytest.approx((0.02,) * 3))
    error = (
        1 / (1e4 + 2500 + 1e4 / 9)
    ) ** 0.5  # the plain one: differences of no spread would say 0
    assert found.interval[1] == pytest.approx(0.02 + t.ppf(0.975, 2) * error)
    assert pooled([0.0, 0.1], [0.01, 0.01]).further is None


@pytest.mark.parametrize(
    ("differences", "errors"), [([0.1], [0.1]), ([0.1, 0.0], [0.1, 0.0]), ([0.1, 0.2], [0.1])]
)
def test_what_is_refused(differences, errors):
    with pytest.raises(
        HarnessError, match="two differences or more, each with a standard error above 0"
    ):
        pooled(differences, errors)


def test_the_error_of_a_difference_is_that_of_its_clusters():
    """Pairs that differ alike: the error of 50 values, sqrt(sum of (d - mean)^2) / 50."""
    of_pairs = np.random.default_rng(0).choice([1.0, 0.0, -1.0], 50, p=[0.3, 0.6, 0.1])
    ours, theirs = (np.repeat(of_pairs == sign, 2).astype(float) for sign in (1, -1))
    found = Comparison.of(ours, theirs, labels=np.arange(100) // 2)
    assert found.error == pytest.approx(of_pairs.std() / 50**0.5)
    assert Comparison.of(ours, ours).error == 0
