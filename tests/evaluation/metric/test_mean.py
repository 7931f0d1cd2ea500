"""Means over many trials are those of each trial alone, to the bit."""

import numpy as np
import pytest

from harness.evaluation.metric import ABSENT, NONE, metrics
from harness.evaluation.metric.mean import means

ALL = metrics(["last_hop", "full_sup", "any_sup", "recall", "ndcg", "mrr", "mrr@5"], [1, 2, 5, 10])


@pytest.mark.parametrize("hops", [0, 1, 3, 4, 20])
def test_as_one_trial_at_a_time(hops) -> None:
    random = np.random.default_rng(hops)
    ranks = random.integers(1, 16, (120, 777, hops)).astype(np.int32)
    ranks[random.random(ranks.shape) < 0.2] = ABSENT
    ranks[:, np.arange(hops) >= random.integers(0, hops + 1, 777)[:, None]] = NONE
    found = means(ranks, ALL)
    for number, own in enumerate(ranks):
        assert found[number].tolist() == [metric(own).mean() for metric in ALL]


@pytest.mark.parametrize("queries", [1, 7, 8, 9, 127, 128, 129, 136, 255, 257, 1000, 1021, 5003])
def test_sums_are_taken_in_numpy_s_order(queries) -> None:
    ranks = np.random.default_rng(queries).integers(1, 14, (40, queries, 3)).astype(np.int32)
    wanted = metrics(["recall", "ndcg", "mrr"], [2, 10])
    assert means(ranks, wanted).tolist() == [[metric(own).mean() for metric in wanted] for own in ranks]


def test_no_queries_no_trials() -> None:
    assert np.isnan(means(np.empty((3, 0, 2), np.int32), ALL)).all()
    assert means(np.empty((0, 5, 2), np.int32), ALL).shape == (0, len(ALL))
