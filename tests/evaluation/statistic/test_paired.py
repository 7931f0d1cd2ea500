"""The test of paired differences, and the same bits for any number of threads."""

import os

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_1samp
from statsmodels.stats.power import TTestPower

from harness.evaluation.statistic import (
    clustered_mcnemar,
    mcnemar,
    paired_tests,
    sign_flip,
    smallest_mean,
)
from tests import process

CODE = """
import numpy as np; from harness.evaluation.statistic import expected, paired_tests
rng = np.random.default_rng(0)
signs = rng.choice([-1, 0, 1], size=(50, 300), p=[.05, .9, .05])
scores = (rng.random((50, 300)) < .6) * 1.0
print(expected(scores, signs < 0, 280, 1000))
print(expected(rng.random((50, 300)), signs < 0, 280, 1000))
print(paired_tests(rng.random((50, 300)) - scores))
"""


def test_the_same_bits_in_another_process_with_other_threads(monkeypatch, capsys):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    exec(CODE, {})
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED")
    other = process.python("-c", CODE, env={**os.environ, **dict.fromkeys(names, "2")}, check=True)
    assert other.stdout == capsys.readouterr().out


def flips(*differences, labels=None):
    return float(sign_flip(np.array([differences], dtype=np.float64), labels)[0])


@pytest.mark.parametrize("n", [2, 5, 12, 16])
def test_sign_flips_are_those_of_scipy(n):
    differences = np.random.default_rng(n).normal(0.6, 1, n)
    exact = permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert flips(*differences) == pytest.approx(exact.pvalue)
    assert flips(*differences * 1e-12) == pytest.approx(exact.pvalue)


def test_drawn_sign_flips_are_close_to_the_t_test():
    differences = np.random.default_rng(1).normal(0.15, 1, 300)
    expected = ttest_1samp(differences, 0).pvalue
    error = (expected * (1 - expected) / 100_000) ** 0.5
    assert flips(*differences) == pytest.approx(expected, abs=4 * error + 0.002)
    assert flips(*differences + 1) == 1 / 100_001
    assert flips(*-differences) == flips(*differences)
    assert flips(0, 0) == flips() == flips(*[0.5, -0.5] * 100) == 1


def test_the_p_of_a_row_depends_on_its_own_differences_alone():
    """Not on other rows, nor on questions that do not differ."""
    rows = np.random.default_rng(3).normal(0.1, 1, (3, 40))
    rows[1, 5:12] = 0
    together = sign_flip(rows).tolist()
    assert together == [flips(*row) for row in rows]
    assert together[1] == flips(*rows[1][rows[1] != 0])


def test_sign_flips_of_clusters_are_the_exact_test_of_wins_and_losses():
    signs = np.array([1.0, 1, 1, -1, 1, 1, 0, 1, 1, -1, 1, 1])
    labels = np.array([0, 0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 7])
    expected = pytest.approx(clustered_mcnemar(signs, labels))
    assert flips(*signs, labels=labels) == expected
    assert flips(*signs * 0.1, labels=labels) == expected  # sums tie but for rounding


def test_one_statistic_gives_direction_and_p():
    """Two great gains and 18 small losses: McNemar's test of 2 against 18 would have p .0004."""
    differences = np.array([[0.9, 0.9, *[-0.1] * 18]])
    (found,) = paired_tests(differences)
    assert found.difference == pytest.approx(0)
    assert found.p == 1
    assert mcnemar(2, 18) < 0.001
    (counts,) = paired_tests(np.array([[1.0, 1, 1, 1, 1, 1, -1, 0]]))
    assert (counts.p, counts.difference) == (mcnemar(6, 1), 5 / 8)


@pytest.mark.parametrize("n", [10, 40, 400])
def test_the_smallest_mean_is_that_of_statsmodels(n):
    expected = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8)
    assert smallest_mean(1 / n**0.5, n - 1) == pytest.approx(expected, rel=0.01)
    assert smallest_mean(0.0, n - 1) is smallest_mean(1.0, 0.5) is None
    assert smallest_mean(2.0, 1) == pytest.approx(
        2 * (12.7062 + 1.3764), rel=1e-4
    )  # tables of Student's t, of two
