"""Candidates of a pool, and what they hold, counted by hand."""

import numpy as np

from harness.fusion.pool import PoolSpec
from harness.run import Run
from harness.sweep.trial.engine import ceiling, pool_size

DOCS = ["a", "b", "c", "d", "e"]


def runs() -> dict[str, Run]:
    """q0: dense a b, graph b c d e; q1: dense a, graph nothing."""
    dense = Run.of(["q0", "q1"], DOCS, [0, 0, 1], [0, 1, 0], [2.0, 1.0, 1.0])
    graph = Run.of(["q0", "q1"], DOCS, [0, 0, 0, 0], [1, 2, 3, 4], [4.0, 3.0, 2.0, 1.0])
    return {"dense": dense, "graph": graph}


def test_the_mean_size_of_the_union_after_the_cap() -> None:
    lists = ("dense", "graph")
    assert pool_size(PoolSpec(lists, None, ("graph",)), runs()) == (5 + 1) / 2
    assert pool_size(PoolSpec(lists, 2, ("graph",)), runs()) == (3 + 1) / 2
    assert pool_size(PoolSpec(lists, 1, ("dense",)), runs()) == (5 + 1) / 2
    assert pool_size(PoolSpec(("dense",), 1, ("graph",)), runs()) == (2 + 1) / 2


def test_the_ceiling_is_of_the_last_hop_however_many_there_are() -> None:
    """q0's last hop is c, after an e that dense lacks, too; q1 has one passage, a. Padding
    is -1.
    """
    gold = np.array([[4, 2], [0, -1]], dtype=np.int32)
    dense, both = (
        PoolSpec(("dense",), None, ("graph",)),
        PoolSpec(("dense", "graph"), None, ("graph",)),
    )
    assert (ceiling(dense, runs(), gold), ceiling(both, runs(), gold)) == (0.5, 1.0)
    assert ceiling(both, runs(), gold[:, ::-1].copy()[:1]) == 1.0  # e, the last of graph's
    assert (
        ceiling(PoolSpec(("dense", "graph"), 1, ("graph",)), runs(), gold) == 0.5
    )  # the cap leaves b alone
    assert ceiling(PoolSpec(("dense", "graph"), 2, ("graph",)), runs(), gold) == 1.0
