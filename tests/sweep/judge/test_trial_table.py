"""GraphWin and GraphLoss: what a trial's last hops are against those of dense; rows and their
comparisons.
"""

from __future__ import annotations

from typing import cast, get_type_hints

import numpy as np
import pandas as pd

from harness.core.input import misfit
from harness.evaluation.comparison import Outcome, corrected, record
from harness.evaluation.metric import ABSENT, Metric
from harness.sweep.folder import View
from harness.sweep.folder.rows import Judged, Row, against_best, against_reference, records
from harness.sweep.judge.choice import order
from harness.sweep.judge.judgement import judge
from harness.sweep.judge.trial_table import best_single, frame, graph_outcomes

U = -2  # the hop order of the query is not known
RANKS = np.array(
    # four queries with two supporting passages, the last hop second; the order of the last query is
    # not known
    [
        [[1, 9], [1, 2], [1, ABSENT], [1, U]],  # dense finds the second query's last hop
        [[9, 5], [1, 7], [9, 3], [1, U]],  # finds the first and the third, loses the second
        [[1, 6], [9, 2], [1, 8], [9, U]],  # the same as dense
    ],
    dtype=np.int32,
)
NOBODY = {"graph_win": None, "graph_loss": None}


def test_last_hops_won_from_dense_and_lost_to_it() -> None:
    found = graph_outcomes(RANKS, Metric.parse("last_hop@5"), 0)
    assert found == [NOBODY, {"graph_win": 2, "graph_loss": 1}, {"graph_win": 0, "graph_loss": 0}]


def test_the_objective_gives_the_depth_alone() -> None:
    assert graph_outcomes(RANKS, Metric.parse("full_sup@8"), 0)[1] == {
        "graph_win": 2,
        "graph_loss": 0,
    }
    assert graph_outcomes(RANKS, Metric.parse("mrr"), 0)[1] == {"graph_win": 2, "graph_loss": 1}


def test_without_dense_or_without_order_there_is_none() -> None:
    assert graph_outcomes(RANKS, Metric.parse("last_hop@5"), None) == [NOBODY] * 3
    assert graph_outcomes(RANKS[:, 3:], Metric.parse("recall@5"), 0) == [NOBODY] * 3


def test_what_is_stored_is_read_as_it_was() -> None:
    """Counts are integers in a column that has a null, too."""
    shares = dict.fromkeys(get_type_hints(Judged))
    named = {
        "trial": "t",
        "name": "n",
        "family": "f",
        "overrides": ["fuser=rrf"],
        "parameters": {"fuser": "rrf"},
    }
    made = [{**named, **shares, "wins": 105, "losses": 5}, {**named, **shares}]
    (first, second) = records(frame(cast("list[Row]", made)))
    assert (first["wins"], type(first["wins"]), second["wins"]) == (105, int, None)
    assert misfit(first, Judged) is None


def test_the_best_single_list_is_the_highest_then_the_reference_then_the_first_by_name() -> None:
    assert best_single({"dense": 0.5, "graph": 0.7, "bm25": 0.6}, "dense") == "graph"
    tied = {"graph": 0.7, "dense": 0.5, "bm25": 0.7}
    assert [best_single(tied, reference) for reference in ("graph", "dense")] == ["graph", "bm25"]


def test_a_row_says_what_its_comparisons_say() -> None:
    """Five trials of 60 questions in 30 clusters, against the reference and against the
    best list.
    """
    ranks = np.random.default_rng(0).integers(1, 9, (5, 60, 2)).astype(np.int32)
    metric, labels, lists = Metric.parse("last_hop@3"), np.arange(60) // 2, {"dense": 0, "graph": 3}
    rows = cast("list[Row]", judge(ranks, metric, lists, "graph", "dense", 0.02, labels))
    queries = pd.DataFrame({"cluster": labels})
    view = View("tune", rows, ranks, queries, {"objective": str(metric)}, {})
    for name, read in (("dense", against_reference), ("graph", against_best)):
        base = lists[name]
        stored = [read(row) for row in rows]
        assert stored.pop(base) is None
        again = corrected([view.compare(place, base) for place in range(5) if place != base])
        assert [record(one) for one in stored if one] == [record(one) for one in again]


def test_a_stored_outcome_by_hand() -> None:
    """As many won as lost have an interval; none and none have none, as older sweeps stored one;
    looks are charged.
    """
    stored: dict[str, object] = {
        "wins_best": 2,
        "losses_best": 2,
        "p_best": 1.0,
        "p_best_holm_cluster": 0.5,
        "difference_best": 0.0,
        "difference_best_cluster_low": -0.25,
        "difference_best_cluster_high": 0.0,
    }
    assert against_best(cast("Row", stored)) == Outcome(2, 2, 1.0, 0.5, 0.0, (-0.25, 0.0))
    charged = against_best(
        cast("Row", {**stored, "wins_best": 0, "losses_best": 0, "p_best_looks": 0.8})
    )
    assert charged == Outcome(0, 0, 1.0, 0.8, 0.0, None)
    assert against_best(cast("Row", {**stored, "difference_best_cluster_low": None})) == Outcome(
        2, 2, 1.0, 0.5, 0.0, None
    )
    assert against_reference(cast("Row", stored)) is None


def _alpha(value: float | None) -> dict[str, float]:
    return {} if value is None else {"fuser.alpha": value}


def test_of_equal_trials_the_rule_takes_alpha_nearer_to_a_half() -> None:
    """A trial without alpha is as one of a half; fewer losses, and more of the objective, come
    before.
    """
    made = {
        "far": (None, 0.1, 0.5),
        "near": (0, 0.6, 0.5),
        "b": (0, None, 0.5),
        "a": (0, 0.5, 0.5),
        "lost": (1, None, 0.5),
        "best": (9, 0.0, 0.6),
    }
    rows = [
        {"name": name, "trial": name, "losses": losses, "parameters": _alpha(alpha), "mrr": score}
        for name, (losses, alpha, score) in made.items()
    ]
    assert [rows[place]["name"] for place in order(cast("list[Row]", rows), "mrr")] == [
        "best",
        "a",
        "b",
        "near",
        "far",
        "lost",
    ]
