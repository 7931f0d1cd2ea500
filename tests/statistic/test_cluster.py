"""Clusters by hand, and an interval that covers where queries succeed and fail together."""

import numpy as np
import pytest

from harness.statistic import bootstrap, clustered_bootstrap, clusters


def test_clusters_by_hand():
    gold = np.array([[1, 2], [7, -1], [2, 3], [5, 6], [3, 9], [-1, -1], [6, 8]], dtype=np.int32)
    assert clusters(gold).tolist() == [0, 1, 0, 2, 0, 3, 2]
    assert clusters(np.zeros((0, 2), np.int32)).tolist() == []


def test_queries_alone_are_the_plain_bootstrap():
    values = np.array([1.0] * 30 + [0.0] * 70)
    assert clustered_bootstrap(values, np.arange(100)) == pytest.approx(bootstrap(values), abs=0.011)


def test_clusters_that_stand_and_fall_together_count_once():
    """20 clusters of 5 equal outcomes are 20 outcomes: the interval of 20 values."""
    outcomes = np.array([1.0] * 8 + [0.0] * 12)
    assert clustered_bootstrap(np.repeat(outcomes, 5), np.repeat(np.arange(20), 5)) == bootstrap(outcomes)


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
