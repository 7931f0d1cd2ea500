"""Means over many trials are those of each trial alone, to the bit."""

import numpy as np
import pytest

from harness.evaluation.metric import ABSENT, NONE, average, metrics
from harness.evaluation.metric.mean import means

ALL = metrics(["last_hop", "full_sup", "success", "recall", "ndcg", "mrr", "mrr@5"], [1, 2, 5, 10])


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
    assert means(ranks, wanted).tolist() == [
        [metric(own).mean() for metric in wanted] for own in ranks
    ]


def test_no_queries_no_trials() -> None:
    assert np.isnan(means(np.empty((3, 0, 2), np.int32), ALL)).all()
    assert means(np.empty((0, 5, 2), np.int32), ALL).shape == (0, len(ALL))


def test_averages_leave_out_what_a_metric_does_not_count():
    """By hand: of 1, 0, none, 1 the mean is 2/3; of 1, none, 1, none it is 1; of none it
    is none.
    """
    values = np.array([[1.0, 0, np.nan, 1], [1, np.nan, 1, np.nan], [np.nan] * 4])
    found = average(values)
    assert found[:2].tolist() == [2 / 3, 1.0]
    assert np.isnan(found[2])
    assert average(np.array([[1.0, 0], [0.5, 1]])).tolist() == [0.5, 0.75]
    assert average(np.array([np.nan, 0.25])) == 0.25
