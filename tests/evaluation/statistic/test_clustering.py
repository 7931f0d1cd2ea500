"""Clusters by hand, and an interval that covers where queries succeed and fail together."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm, t

from harness.core.errors import HarnessError
from harness.evaluation.statistic import (
    ClusteredScore,
    clustered_mcnemar,
    clustered_wilson,
    design_effect,
    difference_interval,
    mcnemar,
    too_few,
    wilson,
)
from harness.evaluation.statistic.clustering import correlation, degrees, effective_clusters


def test_effective_clusters_by_hand():
    assert effective_clusters(np.array([5] * 20)) == 20
    assert effective_clusters(np.array([8, 1, 1])) == 100 / 66  # a great cluster leaves few
    assert degrees(np.repeat(np.arange(12), 20)) == 11
    assert degrees(np.repeat(np.arange(201), [100] + [1] * 200)) == 200  # all but the largest


@pytest.mark.parametrize(
    ("values", "labels", "expected"),
    [
        ([1.0, 1, 0, 0], [0, 0, 1, 1], 1),  # B 1, W 0
        ([1.0, 0, 1, 0], [0, 0, 1, 1], 0),  # B 0
        ([1.0, 1, 1, 1], [0, 0, 1, 1], 0),
        ([1.0, 0, 1, 0], [0, 0, 0, 0], 0),  # one cluster
        ([1.0, 0, 1, 0], [0, 1, 2, 3], 0),
    ],
)
def test_correlation_within_clusters(values, labels, expected):
    assert correlation(np.array(values), np.array(labels)) == expected


@pytest.mark.parametrize(
    ("sizes", "few"),
    [
        (
            [20] * 12,
            True,
        ),  # one in eleven is won as a whole: in 28% of samples none is, and all lose a little
        ([20] * 26, False),
        ([7] * 20, True),
        ([6] * 12, False),
        ([21, 14, 9] + [5] * 3 + [3] * 5 + [2] * 8 + [1] * 24, False),  # 114 in 43
        ([2] * 15, False),
        ([1] * 12, False),
        ([100] + [1] * 200, False),  # one sign is a coin
        ([40] * 8 + [1] * 30, True),
        ([5], True),
        ([2], True),
        ([1], False),
    ],
)
def test_few_and_large_clusters_have_no_p(sizes, few):
    assert too_few(np.repeat(np.arange(len(sizes)), sizes)) is few


def test_the_score_interval_by_hand():
    """Clusters of sums 2, 1, 0 and sizes 2, 1, 3, where errors by query are less at both ends.

    (3 - 6 m)^2 = t^2 (5 - 2 (4 + 1) m + 14 m^2), t of 10/10 and 9/5 effective clusters but the
    largest: 1.8.
    """
    values, labels = np.array([1.0, 1, 1, 0, 0, 0]), np.array([0, 0, 1, 2, 2, 2])
    low, high = ClusteredScore.of(values, labels, "any").interval(0.5)
    t2 = float(t.ppf(0.75, 9 / 5)) ** 2
    roots = np.roots([36 - 14 * t2, -36 + 10 * t2, 9 - 5 * t2])
    assert (low, high) == pytest.approx(tuple(sorted(roots)), abs=1e-9)
    assert ClusteredScore.of(values, np.arange(6), "any").statistic(0.0) == pytest.approx(3**0.5)
    assert ClusteredScore.of(values, labels, "wins").statistic(0.0) == pytest.approx(3 / 5**0.5)


def test_the_interval_of_queries_alone_is_tangos_with_t():
    signs = np.array([1.0] * 11 + [-1.0] * 2 + [0.0] * 478)
    found = ClusteredScore.of(signs, np.arange(491), "wins")
    assert found.interval() == pytest.approx(difference_interval(11, 2, 491), abs=2e-4)
    assert ClusteredScore.of(np.zeros(9), np.arange(9) // 3, "wins").statistic(0.0) == 0
    with pytest.raises(HarnessError, match=r"\(0, 1\], got"):
        found.interval(0)


def worlds(seed, count, labels, correlation=0.5):
    """Outcomes of a world each: won with .15, lost with .05, queries of a cluster alike: a
    difference of .1.
    """
    rng = np.random.default_rng(seed)
    for _ in range(count):
        shared = rng.standard_normal(labels.max() + 1)[labels]
        latent = correlation**0.5 * shared + (1 - correlation) ** 0.5 * rng.standard_normal(
            len(labels)
        )
        yield (latent > norm.isf(0.15)).astype(float) - (latent < norm.ppf(0.05))


@pytest.mark.parametrize(
    "sizes",
    [[100] + [1] * 200, [10] * 30, [70, 42, 14, 10] + [1] * 250, [400] + [1] * 120 + [2] * 40],
)
def test_the_interval_covers_where_the_plain_one_does_not(sizes):
    labels, inside, plain = np.repeat(np.arange(len(sizes)), sizes), 0, 0
    for signs in worlds(1, 400, labels):
        low, high = ClusteredScore.of(signs, labels, "wins").interval()
        inside += low <= 0.1 <= high
        low, high = difference_interval(int((signs > 0).sum()), int((signs < 0).sum()), len(signs))
        plain += low <= 0.1 <= high
    assert inside >= 372
    assert plain < 350


@pytest.mark.parametrize("kind", ["any", "wins"])
def test_the_sign_of_a_cluster_of_most_queries_is_a_coin(kind):
    """Against flips of the clusters' sums less m times their sizes, which are two heaps."""
    rng, sizes = np.random.default_rng(3), np.array([200, *[1] * 60, *[2] * 20])
    labels = np.repeat(np.arange(81), sizes)
    values = rng.choice([1.0, 1, 0, 0, -1], 300) if kind == "wins" else rng.normal(0.2, 1, 300)
    found, flips = ClusteredScore.of(values, labels, kind), rng.choice([-1, 1], (20_000, 81))
    assert found.largest == (200, pytest.approx(values[:200].sum()))
    for mean in (-0.1, 0.0, 0.1, 0.15, 0.3, 0.35):
        sums = np.bincount(labels, values) - mean * sizes
        drawn = np.mean(np.abs(flips @ sums) >= abs(sums.sum()) - 1e-9)
        assert 2 * t.cdf(-abs(found.statistic(mean)), found.freedom) == pytest.approx(
            drawn, abs=0.03
        )
    low, high = found.interval()
    assert low < values.mean() < high < low + 0.6


def test_design_effect_by_hand():
    """Kish: m equal outcomes a cluster multiply the variance by m; independent ones do not; unequal
    sizes by hand.
    """
    outcomes = np.array([1.0] * 8 + [0.0] * 12)
    assert design_effect(np.repeat(outcomes, 5), np.repeat(np.arange(20), 5)) == pytest.approx(5)
    assert design_effect(outcomes, np.arange(20)) == 1
    assert design_effect(np.ones(4), np.array([0, 0, 1, 1])) == 1  # no variance
    # Mean 2/5. Cluster of three: deviations .6 .6 -.4, products 2 (.36 - .24 - .24) = -.24, by its
    # others -.12; of two: -.4 -.4, products .32, by its other .32. r = (.32 - .12) / 5 / .24 = 1/6;
    # 1 + r ((9 + 4) / 5 - 1).
    found = design_effect(np.array([1.0, 1, 0, 0, 0]), np.array([0, 0, 0, 1, 1]))
    assert found == pytest.approx(1 + (0.2 / 5 / 0.24) * 1.6)
    assert (
        design_effect(np.array([1.0, 0, 1, 0]), np.array([0, 0, 1, 1])) == 1
    )  # a negative correlation is none
    both = design_effect(
        np.array([[1.0, 1, 0, 0, 0], [1.0, 0, 1, 0, 0]]), np.array([0, 0, 0, 1, 1])
    )
    assert both.tolist() == pytest.approx([float(found)] * 2)


def test_sign_flips_of_clusters_enumerated():
    rng = np.random.default_rng(2)
    for _ in range(40):
        signs, labels = rng.choice([-1.0, 0, 1], 14), rng.integers(0, 7, 14)
        sums = np.bincount(labels, signs, 7)
        flips = np.array(list(itertools.product([-1, 1], repeat=7)))
        enumerated = np.mean(np.abs(flips @ sums) >= abs(sums.sum()) - 1e-9)
        assert clustered_mcnemar(signs, labels) == pytest.approx(enumerated, abs=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(8, 1), (11, 2), (15, 6), (3, 3), (0, 0), (700, 600)])
def test_queries_alone_are_mcnemars_test(wins, losses):
    signs = np.array([1.0] * wins + [-1.0] * losses + [0.0] * 5)
    assert clustered_mcnemar(signs, np.arange(len(signs))) == pytest.approx(
        mcnemar(wins, losses), rel=1e-9
    )


@pytest.mark.parametrize("sizes", [[place % 8 + 1 for place in range(60)], [100] + [1] * 200])
def test_wilson_by_cluster_covers(sizes):
    """Gaussian scores with correlation .5 in clusters, cut at the median: the truth is .5."""
    labels, inside, plain = np.repeat(np.arange(len(sizes)), sizes), 0, 0
    rng = np.random.default_rng(4)
    for _ in range(400):
        latent = 0.5**0.5 * rng.standard_normal(len(sizes))[
            labels
        ] + 0.5**0.5 * rng.standard_normal(len(labels))
        values = (latent > 0).astype(float)
        low, high = clustered_wilson(values, labels)
        inside += low <= 0.5 <= high
        low, high = wilson(int(values.sum()), len(values))
        plain += low <= 0.5 <= high
    assert inside / 400 >= 0.92
    assert plain / 400 < 0.9


def test_wilson_by_cluster_of_queries_alone_and_of_nothing_but_hits():
    labels = np.arange(60)
    assert clustered_wilson(np.array([1.0] * 40 + [0.0] * 20), labels) == pytest.approx(
        wilson(40, 60)
    )
    low, high = clustered_wilson(np.ones(60), labels // 2)
    assert (0.85 < low < 0.95, high) == (True, pytest.approx(1))
    assert low < wilson(60, 60)[0]  # 30 pairs
