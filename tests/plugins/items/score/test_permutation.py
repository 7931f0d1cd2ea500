"""Sign flips of a pair, and the same bits for any number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_1samp
from statsmodels.stats.power import TTestPower

from harness.core.errors import HarnessError
from harness.evaluation.statistic import clustered_mcnemar
from harness.plugins.items.score import sign_flip, smallest_mean

CODE = """
import numpy as np; from harness.evaluation.statistic import expected
rng = np.random.default_rng(0)
signs = rng.choice([-1, 0, 1], size=(50, 300), p=[.05, .9, .05])
scores = (rng.random((50, 300)) < .6) * 1.0
print(expected(scores, signs < 0, 280, 1000))
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
    with pytest.raises(ValueError, match="expected one finite number an item"):
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
