"""A split's trials and what is known of them."""

import numpy as np
import pandas as pd

from harness.benchmark import UNORDERED
from harness.sweep.folder import View


def test_a_list_that_several_trials_are_stands_at_its_first_place_and_is_no_fusion() -> None:
    """``dense`` under three caps: trials of their own, by name one list. The winner holds what ``graph`` holds."""
    named = [("rrf", "rrf"), ("dense", "single"), ("graph", "single"), ("dense", "single"), ("dense", "single")]
    rows = [{"trial": str(place), "name": name, "family": family} for place, (name, family) in enumerate(named)]
    ranks = np.array([[[1]], [[7]], [[1]], [[7]], [[7]]], dtype=np.int32)
    manifest = {"objective": "last_hop@5"}
    view = View("tune", rows, ranks, pd.DataFrame({"id": ["q"]}), manifest, {"winner": {"trial": "0"}})
    assert view.singles == {"dense": 1, "graph": 2}
    assert view.fused == [0]
    assert view.winner_list == "graph"
    assert view.rivals == {"dense": 1}


def test_queries_without_a_hop_order_are_counted_once_whatever_the_number_of_trials() -> None:
    """Two trials of three queries, the order of one unknown: last_hop counts two of three."""
    rows = [{"trial": str(place), "name": name, "family": "single"} for place, name in enumerate(("dense", "graph"))]
    ranks = np.array([[[1, 2], [1, 9], [1, UNORDERED]]] * 2, dtype=np.int32)
    queries, lock = pd.DataFrame({"id": ["a", "b", "c"]}), {"winner": {"trial": "0"}}
    view = View("tune", rows, ranks, queries, {"objective": "recall@5"}, lock)
    assert view.unordered() == " (last_hop: the 2 of 3 queries whose hop order is known)"
    known = View("tune", rows, ranks[:, :2], queries[:2], {"objective": "recall@5"}, lock)
    assert known.unordered() == ""
    counted = View("tune", rows, ranks[:, :2], queries[:2], {"objective": "last_hop@5"}, lock, in_split=3)
    assert counted.unordered() == (" (last_hop and what follows from it: the 2 of 3 queries whose hop order is known)")
