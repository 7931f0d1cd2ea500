"""GraphWin and GraphLoss: what a trial's last hops are against those of dense; rows and their
comparisons.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests

from harness.evaluation.metric import ABSENT, Metric
from harness.evaluation.paired_comparison import Outcome
from harness.evaluation.statistic import clustered_mcnemar, mcnemar
from harness.sweep.folder.rows import NUMBERS, Row, records
from harness.sweep.judge.choice import order
from harness.sweep.judge.trial_table import best_single, compare_trials, frame, graph_outcomes

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
    shares = dict.fromkeys(("wins", "losses", *NUMBERS, "wilson", "wilson_cluster"))
    named = {
        "trial": "t",
        "name": "n",
        "family": "f",
        "overrides": ["fuser=rrf"],
        "parameters": {"fuser": "rrf"},
        "n": 200,
    }
    made = [{**named, **shares, "wins": 105, "losses": 5}, {**named, **shares}]
    (first, second) = records(frame(made))
    assert (first["wins"], type(first["wins"]), second["wins"]) == (105, int, None)


def test_the_best_single_list_is_the_highest_then_the_reference_then_the_first_by_name() -> None:
    assert best_single({"dense": 0.5, "graph": 0.7, "bm25": 0.6}, "dense") == "graph"
    tied = {"graph": 0.7, "dense": 0.5, "bm25": 0.7}
    assert [best_single(tied, reference) for reference in ("graph", "dense")] == ["graph", "bm25"]


@pytest.mark.parametrize("labels", [None, np.arange(60) // 2])
def test_the_comparisons_of_a_view_are_those_of_its_ranks(
    labels: NDArray[np.int64] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five trials of 60 questions, alone or in 30 clusters, against two lists; Holm's p is
    statsmodels', of the p that decides, and on test times the square of the evaluation.
    """
    monkeypatch.setattr("gc.collect", lambda: 0)  # which statsmodels calls each time
    ranks = np.random.default_rng(0).integers(1, 9, (5, 60, 2)).astype(np.int32)
    metric, lists = Metric.parse("last_hop@3"), {"dense": 0, "graph": 3}
    hits = (ranks[:, :, 1] <= 3).astype(int)
    for evaluation, times in ((0, 1), (1, 1), (2, 4)):
        found = compare_trials(ranks, metric, lists, 0.02, labels, evaluation)
        assert [[*own].index(None) for own in found.values()] == [0, 3]
        for name, base in lists.items():
            others = [place for place in range(5) if place != base]
            own = [Outcome.of(one) for one in found[name] if one is not None]
            signs = [hits[place] - hits[base] for place in others]
            assert [one.wins for one in own] == [int((sign > 0).sum()) for sign in signs]
            assert [one.p for one in own] == [mcnemar(one.wins, one.losses) for one in own]
            by_cluster = [
                None if labels is None else pytest.approx(clustered_mcnemar(sign * 1.0, labels))
                for sign in signs
            ]
            assert [one.p_cluster for one in own] == by_cluster
            decides = [one.p if labels is None else one.p_cluster for one in own]
            expected = np.minimum(1, times * multipletests(decides, method="holm")[1])
            assert [one.p_holm for one in own] == pytest.approx(expected)


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
    rows[-1]["practical"] = False
    assert order(cast("list[Row]", rows), "mrr")[-1] == len(rows) - 1
