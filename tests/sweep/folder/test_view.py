"""A split's trials and what is known of them."""

import numpy as np
import pandas as pd

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
