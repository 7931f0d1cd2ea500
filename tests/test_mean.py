"""Means over many trials are those of each trial alone, to the bit."""

import numpy as np
import pytest

from harness.metric import ABSENT, NONE, metrics
from harness.metric import mean as module
from harness.metric.mean import means

ALL = metrics(["last_hop", "full_sup", "any_sup", "recall", "ndcg", "mrr", "mrr@5"], [1, 2, 5, 10])


@pytest.mark.parametrize("hops", [0, 1, 3, 4])
@pytest.mark.parametrize("table", [0, 1 << 18])
def test_as_one_trial_at_a_time(hops, table, monkeypatch) -> None:
    monkeypatch.setattr(module, "TABLE", table)
    monkeypatch.setattr(module, "CHUNK", 5000)
    random = np.random.default_rng(hops)
    ranks = random.integers(1, 16, (120, 777, hops)).astype(np.int32)
    ranks[random.random(ranks.shape) < 0.2] = ABSENT
    ranks[:, np.arange(hops) >= random.integers(0, hops + 1, 777)[:, None]] = NONE
    found = means(ranks, ALL)
    for number, own in enumerate(ranks):
        assert found[number].tolist() == [metric(own).mean() for metric in ALL]


def test_no_queries_no_trials() -> None:
    assert np.isnan(means(np.empty((3, 0, 2), np.int32), ALL)).all()
    assert means(np.empty((0, 5, 2), np.int32), ALL).shape == (0, len(ALL))
