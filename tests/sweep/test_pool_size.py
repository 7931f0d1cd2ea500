"""Candidates of a pool, counted by hand."""

from harness.run import Run
from harness.sweep.engine import pool_size
from harness.sweep.trial import PoolSpec

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
