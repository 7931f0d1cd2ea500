import pytest

from harness.core.errors import HarnessError
from harness.fusion.fuser.linear import Linear
from harness.fusion.normalizer.tmm import Tmm


def test_weighted_sum_with_consensus(scores, two_lists) -> None:
    expected = {"a": 0.75 * 1.0 + 0.25 * 0.5 + 0.5, "b": 0.75 * 0.5, "c": 0.25 * 1.0}
    assert scores(Linear(alpha=0.75, beta=0.5), two_lists) == expected


def test_with_tmm_it_is_the_convex_combination_of_bruch(scores, two_lists) -> None:
    expected = {"a": 0.5 + 0.5 * 0.01 / 0.03, "c": 0.5, "b": 0.5 * 1.5 / 1.9}
    assert scores(Linear(alpha=0.5), two_lists, Tmm()) == pytest.approx(expected, rel=1e-14)


def test_weights_share_among_any_number_of_lists(scores, two_lists) -> None:
    fuser = Linear(weights={"dense": 0.5, "graph": 0.25, "bm25": 2.0}, beta=1)
    assert scores(fuser, {**two_lists, "bm25": {"b": 1}}) == {
        "b": 0.25 + 2 + 1,
        "a": 0.5 + 0.125 + 1,
        "c": 0.25,
    }


def test_three_lists_need_a_weight_each(scores, two_lists) -> None:
    three = {**two_lists, "bm25": {"b": 1}}
    with pytest.raises(
        HarnessError, match=r"the pool has 3 .*add .fuser\.weights=\{dense: 1, graph: 1"
    ):
        scores(Linear(), three)
    with pytest.raises(HarnessError, match=r"fuser\.weights names dense; add .* for graph, bm25"):
        scores(Linear(weights={"dense": 1.0}), three)


def test_it_takes_values_beyond_one(scores) -> None:
    assert scores(
        Linear(alpha=0.5), {"dense": {"a": 3, "b": -2}, "graph": {"a": 1, "b": 1}}, "none"
    ) == {"a": 2, "b": -0.5}


def test_weights_do_not_keep_it_from_being_a_key() -> None:
    assert {Linear(weights={"dense": 0.5}): 1}[Linear(weights={"dense": 0.5})] == 1


def test_without_dense_alpha_is_the_first_lists_share(scores) -> None:
    assert scores(Linear(alpha=0.75), {"x": {"a": 1}, "y": {"b": 1}}) == {"a": 0.75, "b": 0.25}
