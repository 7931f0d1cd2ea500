"""Clusters by hand, and an interval that covers where queries succeed and fail together."""

import itertools

import numpy as np
import pytest

from harness.evaluation.statistic import (
    bootstrap,
    clustered_bootstrap,
    clustered_mcnemar,
    design_effect,
    max_statistic,
    mcnemar,
    wilson,
)
from harness.evaluation.statistic.cluster import effective_clusters, expanded


def test_queries_alone_are_the_plain_bootstrap():
    values = np.array([1.0] * 30 + [0.0] * 70)
    assert clustered_bootstrap(values, np.arange(100)) == pytest.approx(bootstrap(values), abs=0.011)


def test_clusters_that_stand_and_fall_together_count_once():
    """20 clusters of 5 equal outcomes are 20 outcomes: the interval of 20 values, expanded as 20 clusters need it."""
    outcomes = np.array([1.0] * 8 + [0.0] * 12)
    found = clustered_bootstrap(np.repeat(outcomes, 5), np.repeat(np.arange(20), 5))
    assert found == bootstrap(outcomes, level=expanded(0.95, 20))


def test_the_expansion_by_hand():
    """t(19, .975) = 2.0930; times sqrt(20 / 19) = 2.1474; Phi(2.1474) = .98412. Tables of Student and Gauss."""
    assert expanded(0.95, 20) == pytest.approx(2 * 0.98412 - 1, abs=1e-4)
    assert expanded(0.95, 1e7) == pytest.approx(0.95, abs=1e-6)
    assert expanded(0.95, 1) == expanded(1, 20) == 1
    assert effective_clusters(np.array([5] * 20)) == 20
    assert effective_clusters(np.array([8, 1, 1])) == 100 / 66  # a great cluster leaves few


def test_unequal_clusters_are_covered():
    """One cluster of 40, one of 20 and 60 of 1 to 3, correlation .5: plain percentiles cover less than they say."""
    rng, inside, plain, worlds = np.random.default_rng(5), 0, 0, 400
    sizes = np.array([40, 20, *(np.arange(60) % 3 + 1)])
    labels = np.repeat(np.arange(62), sizes)
    for _ in range(worlds):
        latent = 0.5**0.5 * rng.standard_normal(62)[labels] + 0.5**0.5 * rng.standard_normal(len(labels))
        values = (latent > 0).astype(float)
        sums, drawn = np.bincount(labels, values), rng.integers(0, 62, (500, 62))
        low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
        plain += low <= 0.5 <= high
        low, high = clustered_bootstrap(values, labels, 500)
        inside += low <= 0.5 <= high
    assert plain / worlds < 0.93
    assert 0.93 <= inside / worlds <= 0.98


def test_the_interval_covers_where_the_plain_one_does_not():
    rng, inside, plain = np.random.default_rng(1), 0, 0
    labels = np.repeat(np.arange(60), 4)
    for _ in range(200):
        values = np.where(rng.random(240) < 0.8, (rng.random(60) < 0.4)[labels], rng.random(240) < 0.4).astype(float)
        low, high = clustered_bootstrap(values, labels, 500)
        inside += low <= 0.4 <= high
        low, high = bootstrap(values, 500)
        plain += low <= 0.4 <= high
    assert inside >= 180
    assert plain < 170


def test_design_effect_by_hand():
    """Kish: m equal outcomes a cluster multiply the variance by m; independent ones do not; unequal sizes by hand."""
    outcomes = np.array([1.0] * 8 + [0.0] * 12)
    assert design_effect(np.repeat(outcomes, 5), np.repeat(np.arange(20), 5)) == pytest.approx(5)
    assert design_effect(outcomes, np.arange(20)) == 1
    assert design_effect(np.ones(4), np.array([0, 0, 1, 1])) == 1  # no variance
    # Mean 2/5. Cluster of three: deviations .6 .6 -.4, products 2 (.36 - .24 - .24) = -.24, by its others -.12; of two:
    # -.4 -.4, products .32, by its other .32. r = (.32 - .12) / 5 / .24 = 1/6; 1 + r ((9 + 4) / 5 - 1).
    found = design_effect(np.array([1.0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 1]))
    assert found == pytest.approx(1 + (0.2 / 5 / 0.24) * 1.6)
    assert design_effect(np.array([1.0, 0, 1, 0]), np.array([0, 0, 1, 1])) == 1  # a negative correlation is none
    both = design_effect(np.array([[1.0, 1, 0, 0, 0], [1.0, 0, 1, 0, 0]]), np.array([0, 0, 0, 1, 1]))
    assert both.tolist() == pytest.approx([float(found)] * 2)


def test_sign_flips_of_clusters_enumerated():
    rng = np.random.default_rng(2)
    for _ in range(40):
        signs, labels = rng.choice([-1.0, 0, 1], 14), rng.integers(0, 7, 14)
        sums = np.bincount(labels, signs, 7)
        flips = np.array(list(itertools.product([-1, 1], repeat=7)))
        enumerated = np.mean(np.abs(flips @ sums) >= abs(sums.sum()) - 1e-9)
        assert clustered_mcnemar(signs, labels) == pytest.approx(enumerated, abs=1e-12)
        # The same by drawing signs, as the max-statistic test does: one trial alone.
        assert max_statistic([signs], 20_000, labels=labels)[0] == pytest.approx(enumerated, abs=0.02)


@pytest.mark.parametrize(("wins", "losses"), [(8, 1), (11, 2), (15, 6), (3, 3), (0, 0), (700, 600)])
def test_queries_alone_are_mcnemars_test(wins, losses):
    signs = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 5)
    assert clustered_mcnemar(signs, np.arange(len(signs))) == pytest.approx(mcnemar(wins, losses), rel=1e-9)


def test_the_plain_max_statistic_finds_what_clusters_explain():
    """Null worlds of 30 trials, 40 clusters of 4 that win and lose together: by query .05 is exceeded."""
    rng, plain, by_cluster = np.random.default_rng(3), 0, 0
    labels = np.repeat(np.arange(40), 4)
    for world in range(200):
        signs = np.repeat(rng.choice([-1, 0, 1], (30, 40), p=[0.1, 0.8, 0.1]), 4, axis=1)
        plain += (max_statistic(signs, 400, seed=world) <= 0.05).any()
        by_cluster += (max_statistic(signs, 400, seed=world, labels=labels) <= 0.05).any()
    assert plain > 60
    assert by_cluster <= 0.05 * 200 + 2.6 * (200 * 0.05 * 0.95) ** 0.5


def test_wilson_with_an_effective_n_covers():
    """Gaussian scores with correlation .5 in clusters of 1 to 8, cut at the median: the truth is .5."""
    rng, inside, plain = np.random.default_rng(4), 0, 0
    labels = np.repeat(np.arange(60), np.arange(60) % 8 + 1)
    for _ in range(400):
        latent = 0.5**0.5 * rng.standard_normal(60)[labels] + 0.5**0.5 * rng.standard_normal(len(labels))
        values = (latent > 0).astype(float)
        effect = float(design_effect(values, labels))
        low, high = wilson(values.sum() / effect, len(values) / effect)
        inside += low <= 0.5 <= high
        low, high = wilson(int(values.sum()), len(values))
        plain += low <= 0.5 <= high
    assert 0.92 <= inside / 400 <= 0.98
    assert plain / 400 < 0.9
