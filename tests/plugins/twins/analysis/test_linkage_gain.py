"""The expected gain against statsmodels, and by hand."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from harness.core.errors import HarnessError
from harness.plugins.twins.analysis.linkage_gain import Measured, expect_gain, judge_expectation

SHARES, GAINS = [0.1, 0.3, 0.5, 0.8], [0.15, 0.2, 0.45, 0.5]
KNOWN = {f"b{n}": Measured(x, 0.3 + y, 0.3) for n, (x, y) in enumerate(zip(SHARES, GAINS, strict=True))}


def test_line_and_interval_are_those_of_statsmodels() -> None:
    fit = OLS(GAINS, np.array(SHARES)[:, None]).fit()
    theirs = fit.get_prediction(np.array([[0.4]])).summary_frame(alpha=0.05)
    gain, interval = expect_gain(KNOWN, 0.4)
    assert gain == pytest.approx(theirs["mean"][0])
    assert interval == pytest.approx([theirs["obs_ci_lower"][0], theirs["obs_ci_upper"][0]])


def test_no_gain_is_beyond_all_questions() -> None:
    """The line is twice the share: 1.6 at .8."""
    known = {f"b{n}": Measured(x, 2 * x, 0) for n, x in enumerate((0.1, 0.2, 0.3))}
    assert expect_gain(known, 0.8) == (1, (1, 1))


def test_each_benchmark_is_expected_by_the_others() -> None:
    """Of a line without error each is expected as it is; the others' means are .3, .8 / 3, .7 / 3 and .2."""
    known = {f"b{n}": Measured(x, x / 2, 0) for n, x in enumerate((0.2, 0.4, 0.6, 0.8))}
    judged = judge_expectation(known)
    assert judged["error"] == pytest.approx(0)
    assert judged["error_of_mean"] == pytest.approx((0.2 + 0.2 / 3 + 0.2 / 3 + 0.2) / 4)
    assert [row["expected"] for row in judged["benchmarks"].values()] == pytest.approx([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("known", [{"a": KNOWN["b0"]}, {name: Measured(0, 0.5, 0.2) for name in "abc"}])
def test_too_little_is_refused(known: dict[str, Measured]) -> None:
    with pytest.raises(HarnessError, match="benchmarks; an interval needs"):
        expect_gain(known, 0.5)
