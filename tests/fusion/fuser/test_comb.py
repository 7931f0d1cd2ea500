"""The Comb family by hand: sum, sum times the number of lists."""

import pytest

from harness.fusion.fuser.combmnz import CombMnz
from harness.fusion.fuser.combsum import CombSum


def test_the_sum_of_percentile_ranks(scores, two_lists) -> None:
    assert scores(CombSum(), two_lists) == {"a": 1.5, "c": 1.0, "b": 0.5}


def test_the_sum_times_the_number_of_lists(scores, two_lists) -> None:
    assert scores(CombMnz(), two_lists) == {"a": 3.0, "c": 1.0, "b": 0.5}


def test_negative_z_scores_are_shifted_so_that_consensus_is_rewarded(scores) -> None:
    """Dense 6, 3, 1, 0 (mean 2.5, variance 5.25) and graph 3, 1, 0, 0 (mean 1, variance 1.5), each
    less its least: dense 6, 3, 1, 0 over sqrt(5.25), graph 3, 1, 0, 0 over sqrt(1.5). Without the
    shift b, held by both, has 2 (-1.5 / sqrt(5.25) - 1 / sqrt(1.5)) = -2.94, below c and d at
    -1.91, which one list holds, last.
    """
    lists = {"dense": {"a": 6, "x": 3, "b": 1, "c": 0}, "graph": {"a": 3, "y": 1, "b": 0, "d": 0}}
    dense, graph = 5.25**0.5, 1.5**0.5
    expected = {
        "a": 2 * (6 / dense + 3 / graph),
        "x": 3 / dense,
        "b": 2 / dense,
        "y": 1 / graph,
        "c": 0,
        "d": 0,
    }
    assert scores(CombMnz(), lists, "zscore") == pytest.approx(expected)


def test_negative_scores_without_a_normalizer_are_shifted_by_the_least(scores) -> None:
    """Log-likelihoods: a 3 + 1, b 0 + 2 of both lists; an absent document's 0 is 4 above the least
    of dense.
    """
    lists = {"dense": {"a": -1, "b": -4}, "graph": {"a": -3, "b": -2, "c": -4}}
    assert scores(CombMnz(), lists, "none") == {"a": 2 * (3 + 1), "b": 2 * (0 + 2), "c": 4 + 0}
