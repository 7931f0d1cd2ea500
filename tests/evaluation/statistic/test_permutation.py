"""Permutation tests: sign flips of a pair; of many trials all flips enumerated, dependence, false
findings.
"""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_1samp
from statsmodels.stats.power import TTestPower

from harness.core.errors import HarnessError
from harness.evaluation.statistic import (
    clustered_mcnemar,
    holm,
    max_statistic,
    mcnemar,
    sign_flip,
    smallest_mean,
)


def enumerated(signs):
    """Step-down p over all 2^Q flips, each written out: Westfall & Young 1993, algorithm 4.1."""
    signs = np.array(signs)
    differ = np.abs(signs).sum(axis=1)
    flips = np.array(list(itertools.product([-1, 1], repeat=signs.shape[1])))
    reached = (flips @ signs.T) ** 2 / differ
    observed = signs.sum(axis=1) ** 2 / differ
    order = np.argsort(-observed, kind="stable")
    found, so_far = np.empty(len(signs)), 0.0
    for place, trial in enumerate(order):
        so_far = max(
            so_far, np.mean(reached[:, order[place:]].max(axis=1) >= observed[trial] - 1e-12)
        )
        found[trial] = so_far
    return found


def test_all_flips_by_hand():
    signs = [
        [1, 1, 1, 1, 1, 1, 1, 0, 0],
        [1, -1, 1, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 1, -1, 1, -1, 1, 0],
    ]
    exact = enumerated(signs)
    assert exact[0] == pytest.approx(
        2 / 2**7, rel=1.5
    )  # a little more than alone: others may reach 7 as well
    assert max_statistic(signs, 200_000) == pytest.approx(exact, abs=0.004)


@pytest.mark.parametrize(("wins", "losses"), [(8, 1), (11, 2), (15, 6), (1, 6), (3, 3)])
def test_one_trial_alone_is_mcnemars_test(wins, losses):
    signs = [[1] * wins + [-1] * losses + [0] * 20]
    assert max_statistic(signs, 100_000)[0] == pytest.approx(mcnemar(wins, losses), abs=0.005)


def test_trials_that_repeat_each_other_cost_nothing():
    rng = np.random.default_rng(3)
    trial = rng.choice([-1, 0, 1, 1], size=60)
    alone = max_statistic([trial])[0]
    assert max_statistic([trial] * 100 + [-trial])[0] == alone
    assert holm([mcnemar(int((trial > 0).sum()), int((trial < 0).sum()))] * 101)[0] >= alone


def test_no_difference_is_p_1_and_order_does_not_matter():
    rng = np.random.default_rng(4)
    signs = rng.choice([-1, 0, 1], size=(12, 40), p=[0.1, 0.7, 0.2])
    signs[5] = 0
    found = max_statistic(signs)
    assert found[5] == 1
    shuffled = rng.permutation(12)
    assert np.array_equal(max_statistic(signs[shuffled]), found[shuffled])
    assert max_statistic(np.zeros((2, 0), int)).tolist() == [1, 1]
    assert max_statistic([[1, -1] * 20, [1] * 40], 1500).tolist() == [
        1,
        1 / 1501,
    ]  # 0 is reached in every draw


def test_false_findings_stay_at_five_percent():
    """600 worlds of 40 dependent trials that do not differ from the baseline: any p < .05 is a
    false finding.
    """
    rng, found = np.random.default_rng(5), 0
    for world in range(600):
        shared = rng.choice([-1, 0, 1], size=(1, 80), p=[0.1, 0.8, 0.1])
        own = rng.choice([-1, 0, 1], size=(40, 80), p=[0.05, 0.9, 0.05])
        signs = np.where(rng.random((40, 80)) < 0.7, shared, own)
        found += (max_statistic(signs, 500, seed=world) <= 0.05).any()
    assert 0.02 <= found / 600 <= 0.05 + 2.6 * (0.05 * 0.95 / 600) ** 0.5


CODE = """
import numpy as np; from harness.evaluation.statistic import max_statistic, expected
rng = np.random.default_rng(0)
signs = rng.choice([-1, 0, 1], size=(50, 300), p=[.05, .9, .05])
scores = (rng.random((50, 300)) < .6) * 1.0
print(max_statistic(signs, 3000).tobytes().hex(), expected(scores, signs < 0, 280, 1000))
print(expected(rng.random((50, 300)), signs < 0, 280, 1000))
"""


def test_the_same_bits_for_any_number_of_threads():
    said = []
    for threads in ("1", "2"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED")
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            env={**os.environ, **dict.fromkeys(names, threads)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout)
    assert said[0] == said[1]


def test_what_is_refused():
    with pytest.raises(HarnessError, match="signs must be -1, 0 or 1"):
        max_statistic([[0.5]])
    with pytest.raises(
        HarnessError, match=r"permutations must be in \[1, inf\), got permutations=0"
    ):
        max_statistic([[1]], 0)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_sign_flips_are_those_of_scipy(n):
    differences = np.random.default_rng(n).normal(0.6, 1, n)
    exact = permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(differences) == pytest.approx(exact.pvalue)
    assert sign_flip(differences * 1e-12) == pytest.approx(exact.pvalue)


def test_drawn_sign_flips_are_close_to_the_t_test():
    differences = np.random.default_rng(1).normal(0.15, 1, 300)
    expected = ttest_1samp(differences, 0).pvalue
    assert sign_flip(differences) == pytest.approx(
        expected, abs=4 * (expected * (1 - expected) / 10_000) ** 0.5 + 0.002
    )
    assert sign_flip(differences + 1) == 1 / 10_001
    assert sign_flip(-differences) == sign_flip(differences)
    assert (
        sign_flip([0, 0]) == sign_flip([]) == sign_flip([1, -1] * 100) == 1
    )  # every draw reaches a sum of 0
    assert (
        sign_flip([1, 2, 4], permutations=8) == 2 / 8
    )  # as many as there are patterns: all are counted
    assert sign_flip([1, 2], permutations=1) in (0.5, 1)  # the observed one, and one that is drawn


def test_sign_flips_of_clusters_are_the_exact_test_of_wins_and_losses():
    signs = np.array([1.0, 1, 1, -1, 1, 1, 0, 1, 1, -1, 1, 1])
    labels = np.array([0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 7])
    assert sign_flip(signs, labels) == pytest.approx(clustered_mcnemar(signs, labels))
    assert sign_flip(signs * 0.1, labels) == pytest.approx(
        clustered_mcnemar(signs, labels)
    )  # sums tie but for rounding


def test_what_sign_flips_refuse():
    with pytest.raises(HarnessError, match="expected one finite number an item"):
        sign_flip([0.5, np.nan])
    with pytest.raises(HarnessError, match="permutations must be in"):
        sign_flip([0.5], permutations=0)


@pytest.mark.parametrize("n", [10, 40, 400])
def test_the_smallest_mean_is_that_of_statsmodels(n):
    expected = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    assert smallest_mean(1 / n**0.5, n - 1) == pytest.approx(expected, rel=0.01)
    assert smallest_mean(0.0, n - 1) is smallest_mean(1.0, 0.5) is None
    assert smallest_mean(2.0, 1) == pytest.approx(
        2 * (12.7062 + 1.3764), rel=1e-4
    )  # tables of Student's t, of two
