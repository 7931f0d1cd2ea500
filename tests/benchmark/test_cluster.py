"""Clusters and the split that keeps them whole, by hand."""

import dataclasses

import numpy as np
import pytest

from harness.benchmark import md5_split
from harness.benchmark.split import cluster_names, clusters, folds, share_gold
from harness.core.errors import HarnessError
from harness.testing.world import small_benchmark


def test_clusters_by_hand():
    gold = np.array([[1, 2], [7, -1], [2, 3], [5, 6], [3, 9], [-1, -1], [6, 8]], dtype=np.int32)
    assert clusters(gold).tolist() == [0, 1, 0, 2, 0, 3, 2]
    assert clusters(np.zeros((0, 2), np.int32)).tolist() == []
    first = np.array([[0, 1], [2, -1], [3, 0]], dtype=np.int32)
    assert clusters(first).tolist() == [0, 1, 0], (
        "the corpus' first passage joins questions like any other"
    )


def test_a_cluster_is_named_by_its_smallest_id():
    gold = np.array([[1, 2], [7, -1], [2, 3], [7, 9]], dtype=np.int32)
    assert cluster_names(["d", "c", "b", "a"], gold) == ["b", "a", "b", "a"]


def test_folds_by_hand():
    """The MD5 of a and of abc, as RFC 1321 has them, end 6497 and 3570 in base 10: half of these is
    3248 and 1785.
    """
    published = {"a": "0cc175b9c0f1b6a831c399e269772661", "abc": "900150983cd24fb0d6963f7d28e17f72"}
    assert [int(digits, 16) % 10_000 for digits in published.values()] == [6497, 3570]
    assert folds(list(published)).tolist() == [3248 % 5, 1785 % 5]


def test_queries_with_a_known_passage():
    gold = np.array([[1, 2], [4, -1], [9, 3], [-1, -1]], dtype=np.int32)
    assert share_gold(gold, np.array([[2, -1], [3, 5]], dtype=np.int32)).tolist() == [
        True,
        False,
        True,
        False,
    ]
    assert not share_gold(gold, np.zeros((0, 2), dtype=np.int32)).any()


def test_a_disjoint_split_shares_no_gold():
    data = small_benchmark()
    split = dataclasses.replace(data, splitting="disjoint")
    names = cluster_names(data.query_ids.to_pylist(), data.gold)
    assert split.split.tolist() == [md5_split(name) for name in names]
    assert data.split.tolist() == [md5_split(name) for name in data.query_ids.to_pylist()]
    tune, test = (split.gold[split.members(part)] for part in ("tune", "test"))
    assert not share_gold(test, tune).any()
    with pytest.raises(HarnessError, match="split"):
        dataclasses.replace(data, splitting="random")


@pytest.mark.parametrize("splitting", ["md5", "disjoint"])
def test_folds_keep_tune_questions_with_shared_gold_together(splitting):
    """Twelve chains of five questions; by its own id each chain's tune questions would fall into
    several folds.
    """
    data = small_benchmark()
    ids = [f"q{number}" for number in range(60)]
    gold = np.array(
        [[7 * (n // 5) + n % 5, 7 * (n // 5) + n % 5 + 1] for n in range(60)], dtype=np.int32
    )
    queries = data.queries.from_dict({"id": ids})
    made = dataclasses.replace(data, queries=queries, gold=gold, splitting=splitting)
    tune = made.members("tune")
    assert (made.folds[made.members("test")] == -1).all()
    named = cluster_names([ids[place] for place in tune], gold[tune])
    assert made.folds[tune].tolist() == folds(named).tolist()
    own, label = folds([ids[place] for place in tune]), clusters(gold[tune])
    apart = [len(set(own[label == one])) for one in range(label.max() + 1)]
    whole = [len(set(made.folds[tune][label == one])) for one in range(label.max() + 1)]
    assert max(apart) > 1 == max(whole)
