"""The two-way t test: the paired t test of one run, mean squares of statsmodels, clusters, and
false findings.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_1samp, ttest_rel
from statsmodels.formula.api import ols
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.anova import anova_lm

from harness.core.errors import HarnessError
from harness.plugins.items.score.two_way import two_way


def made(seed, n, runs, run_sd, mean=0.0):
    """Questions, what a system adds to each, runs and chance, of two systems."""
    draw = np.random.default_rng(seed)
    questions = draw.normal(0, 1, (n, 1))
    return [
        questions
        + m
        + draw.normal(0, 0.5, (n, 1))
        + draw.normal(0, run_sd, (1, r))
        + draw.normal(0, 1, (n, r))
        for r, m in zip(runs, (mean, 0), strict=True)
    ]


def test_of_one_run_each_it_is_the_paired_t_test():
    ours, theirs = made(0, 30, (1, 1), 0.0, 0.3)
    found, expected = two_way(ours, theirs), ttest_rel(ours[:, 0], theirs[:, 0])
    assert found.p == pytest.approx(expected.pvalue)
    assert found.interval() == pytest.approx(tuple(expected.confidence_interval()))
    assert (found.degrees, found.run_error) == (pytest.approx(29), 0)


def test_three_questions_that_vary_have_an_interval():
    ours, theirs = made(5, 3, (1, 1), 0.0, 0.3)
    expected = ttest_rel(ours[:, 0], theirs[:, 0]).confidence_interval()
    assert two_way(ours, theirs).interval() == pytest.approx(tuple(expected))


def test_its_parts_are_the_mean_squares_of_statsmodels():
    values = made(1, 40, (4, 6), 0.8, 0.5)
    found = two_way(*values)
    runs, parts = 0.0, []
    for one in values:
        n, r = one.shape
        frame = pd.DataFrame(
            {"x": one.ravel(), "q": np.repeat(np.arange(n), r), "r": np.tile(np.arange(r), n)}
        )
        table = anova_lm(ols("x ~ C(q) + C(r)", frame).fit())
        squares = (table["sum_sq"] / table["df"]).to_dict()
        runs += (squares["C(r)"] - squares["Residual"]) / (n * r)
        parts += [
            (squares["C(r)"] / (n * r), r - 1),
            (squares["Residual"] / (n * r), (n - 1) * (r - 1)),
        ]
    differences = values[0].mean(axis=1) - values[1].mean(axis=1)
    question = differences.var(ddof=1) / 40
    degrees = (question + runs) ** 2 / sum(part**2 / df for part, df in [*parts, (question, 39)])
    assert (found.question_error**2, found.run_error**2) == pytest.approx((question, runs))
    assert found.degrees == pytest.approx(degrees)
    assert found.p == pytest.approx(
        2 * t.sf(abs(differences.mean()) / (question + runs) ** 0.5, degrees)
    )


def test_clusters_are_those_of_statsmodels():
    ours, theirs = made(2, 60, (1, 1), 0.0, 0.2)
    labels = np.arange(60) // 4
    robust = OLS(ours - theirs, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": labels}, use_t=True
    )
    found = two_way(ours, theirs, labels)
    assert found.error == pytest.approx(robust.bse[0])
    assert (found.p, found.degrees) == (pytest.approx(robust.pvalues[0]), pytest.approx(14))


def test_what_does_not_vary_is_judged_by_how_many_questions_there_are():
    """Three questions that all change sides alike: the exact test's 2 / 2^3, and no interval; of
    ten 2 / 2^10.
    """
    same = np.tile([[0.0], [1.0], [1.0]], 3)
    assert two_way(same, same).p == 1
    assert (two_way(same + 1, same).p, two_way(same + 1, same).interval()) == (
        0.25,
        (-np.inf, np.inf),
    )
    tenth = np.full((10, 3), 0.1)
    assert (two_way(tenth * 3, tenth).p, two_way(tenth * 3, tenth).error) == (
        2**-9,
        0,
    )  # but for rounding
    alike = two_way(np.tile([[1.0], [0.0], [0.5]], 5), same[:, :1])
    assert (alike.run_error, alike.degrees) == (0, pytest.approx(2))


def test_chance_within_questions_is_no_less_than_it_was_seen():
    """Two questions, each right in one of two runs: means do not vary, and yet they are known to
    within sqrt(.5) / 2.

    Rest: x - question - run + mean = +-.5, four squares of .25, one degree: mean square 1, divided
    by n r = 4.
    """
    found = two_way([[1.0, 0.0], [0.0, 1.0]], [[0.0], [0.0]])
    assert found.question_error**2 == pytest.approx(1 / 4)


def test_false_findings_with_a_giant_cluster():
    """One cluster of 100 and 200 questions alone, correlation .1: 14% by degrees that ignore it; 5%
    of 600 are 30.
    """
    rng, labels = np.random.default_rng(3), np.repeat(np.arange(201), [100] + [1] * 200)
    found = 0
    for _ in range(600):
        latent = 0.1**0.5 * rng.standard_normal(201)[labels] + 0.9**0.5 * rng.standard_normal(300)
        found += two_way(latent[:, None], np.zeros((300, 1)), labels).p <= 0.05
    assert found <= 42


def test_false_findings_where_runs_vary():
    """5% of 1,000 worlds are 50, and 29 to 73 are within three standard deviations; over questions
    alone it is 30%.
    """
    worlds = [made(seed, 60, (4, 4), 0.3) for seed in range(1000)]
    found = sum(two_way(*one).p <= 0.05 for one in worlds)
    plain = sum(
        ttest_1samp(one[0].mean(axis=1) - one[1].mean(axis=1), 0).pvalue <= 0.05 for one in worlds
    )
    assert 29 <= found <= 73
    assert plain > 200


def test_intervals_hold_the_truth_where_runs_vary():
    held = 0
    for seed in range(1000):
        low, high = two_way(*made(seed, 60, (3, 1), 0.3, 0.4)).interval()
        held += low <= 0.4 <= high
    alone = 0
    for seed in range(1000):
        low, high = two_way(*made(seed, 60, (3, 3), 0.3, 0.4)).interval()
        alone += low <= 0.4 <= high
    assert 927 <= alone <= 971
    assert (
        held < alone
    )  # of one run it is not known by how much runs vary: such an interval is of this run


@pytest.mark.parametrize(
    ("ours", "theirs", "labels", "message"),
    [
        (
            [[1.0, np.nan], [0, 1]],
            [[1.0], [0]],
            None,
            "expected finite numbers by question and run",
        ),
        ([[1.0]], [[0.0]], None, "of at least 2 questions"),
        ([1.0, 0.0], [0.0, 1.0], None, "expected finite numbers by question and run"),
        (np.empty((2, 0)), np.empty((2, 0)), None, "expected finite numbers by question and run"),
        ([[1.0], [0.0]], [[0.0], [1], [1]], None, "2 questions against 3; give the same ones"),
        (
            [[1.0], [0.0]],
            [[0.0], [1]],
            np.zeros(2, dtype=np.int64),
            "at least 2 clusters of questions, got 1",
        ),
    ],
)
def test_what_is_refused(ours, theirs, labels, message):
    with pytest.raises(ValueError, match=message):
        two_way(ours, theirs, labels)


@pytest.mark.parametrize("level", [0, 1.5])
def test_a_level_is_more_than_0_and_at_most_1(level):
    found = two_way(*made(0, 30, (1, 1), 0.0, 0.3))
    assert found.interval(1) == (-np.inf, np.inf)
    with pytest.raises(HarnessError, match=rf"\(0, 1\], got level={level}"):
        found.interval(level)
