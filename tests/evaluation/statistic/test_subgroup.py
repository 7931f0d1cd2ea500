"""Whether a difference differs between groups: Wald's F of statsmodels, with errors that are robust
to clusters.
"""

import numpy as np
import pytest
from scipy.stats import f
from statsmodels.regression.linear_model import OLS

from harness.evaluation.statistic.subgroup import LEAST, interaction


def test_it_is_the_f_of_statsmodels_with_clusters_of_equal_size() -> None:
    """Three groups of 40 queries in 20 clusters of two; statsmodels' covariance has (n - 1) / (n -
    k) on top.
    """
    draw = np.random.default_rng(5)
    values, labels = draw.normal(0, 1, 120), np.repeat(np.arange(60), 2)
    values[80:] += 0.5
    members = [np.arange(start, start + 40) for start in (0, 40, 80)]
    groups = np.repeat(np.eye(3), 40, axis=0)
    fitted = OLS(values, groups).fit(cov_type="cluster", cov_kwds={"groups": labels})
    contrast = np.array([[-1, 1, 0], [-1, 0, 1]])
    statistic = float(fitted.f_test(contrast).fvalue) * (120 - 1) / (120 - 3)
    assert interaction(values, members, labels) == pytest.approx(f.sf(statistic, 2, 20 - 1))


def test_groups_of_few_queries_are_left_out() -> None:
    values, labels = np.tile([0.0, 1.0], 45), np.arange(90)
    whole, small = np.arange(LEAST), np.arange(LEAST, 2 * LEAST - 1)
    assert interaction(values, [whole, small], labels) is None
    assert interaction(values, [whole, np.arange(LEAST, 2 * LEAST)], labels) == 1.0


def test_groups_of_which_none_varies_have_no_p() -> None:
    values, members = np.repeat([0.0, 1.0], LEAST), [np.arange(LEAST), np.arange(LEAST, 2 * LEAST)]
    assert interaction(values, members, np.arange(2 * LEAST)) is None
