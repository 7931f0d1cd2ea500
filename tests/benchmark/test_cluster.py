"""Clusters and the split that keeps them whole, by hand."""

import dataclasses

import numpy as np
import pytest

from harness.benchmark import md5_split
from harness.benchmark.cluster import cluster_names, clusters, shared_with
from harness.benchmark.fold import folds
from harness.core.errors import HarnessError
from harness.testing.world import small_benchmark


def test_clusters_by_hand():
    gold = np.array([[1, 2], [7, -1], [2, 3], [5, 6], [3, 9], [-1, -1], [6, 8]], dtype=np.int32)
    assert clusters(gold).tolist() == [0, 1, 0, 2, 0, 3, 2]
    assert clusters(np.zeros((0, 2), np.int32)).tolist() == []


def test_a_cluster_is_named_by_its_smallest_id():
    gold = np.array([[1, 2], [7, -1], [2, 3], [7, 9]], dtype=np.int32)
    assert cluster_names(["d", "c", "b", "a"], gold) == ["b", "a", "b", "a"]


def test_share_of_queries_with_a_known_passage():
    gold = np.array([[1, 2], [4, -1], [9, 3], [-1, -1]], dtype=np.int32)
    assert shared_with(gold, np.array([[2, -1], [3, 5]], dtype=np.int32)) == 0.5
    assert shared_with(gold, np.zeros((0, 2), dtype=np.int32)) == 0


def test_a_disjoint_split_shares_no_gold():
    data = small_benchmark()
    split = dataclasses.replace(data, splitting="disjoint")
    names = cluster_names(data.query_ids.to_pylist(), data.gold)
    assert split.split.tolist() == [md5_split(name) for name in names]
    assert data.split.tolist() == [md5_split(name) for name in data.query_ids.to_pylist()]
    assert (split.placed_by, data.placed_by) == (names, data.query_ids.to_pylist())
    fold = folds(split.placed_by)
    assert all(len(set(fold[clusters(data.gold) == one].tolist())) == 1 for one in range(len(set(names))))
    tune, test = (split.gold[split.members(part)] for part in ("tune", "test"))
    assert shared_with(test, tune) == 0
    with pytest.raises(HarnessError, match="split"):
        dataclasses.replace(data, splitting="random")
