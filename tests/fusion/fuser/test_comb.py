"""The Comb family by hand: sum, sum times the number of lists, greatest, least."""

import pytest

from harness.fusion.fuser.combmax import CombMax
from harness.fusion.fuser.combmin import CombMin
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


def test_the_greatest_over_the_lists_that_hold_it(scores, two_lists) -> None:
    """Percentile ranks: a 1 and 1/2, b 1/2, c 1; a and c tie, and the ids decide."""
    found = scores(CombMax(), two_lists)
    assert (found, list(found)) == ({"a": 1.0, "c": 1.0, "b": 0.5}, ["a", "c", "b"])


def test_an_absent_document_counts_nothing_in_the_greatest(scores) -> None:
    """Dense 4, 0 has z-scores 1, -1; graph 1, 0, 0, ... (five) has 2, -.5: absent there would lift
    b from -1 to -.5.
    """
    lists = {"dense": {"a": 4, "b": 0}, "graph": {"a": 1, "c": 0, "d": 0, "e": 0, "f": 0}}
    expected = {"a": 2, "c": -0.5, "d": -0.5, "e": -0.5, "f": -0.5, "b": -1}
    assert scores(CombMax(), lists, "zscore") == pytest.approx(expected)


def test_the_best_rank_decides_where_lists_are_of_one_length(scores) -> None:
    """Best ranks: a 1, d 1, b 2, e 2, c 3; values 1 - (rank - 1) / 3."""
    lists = {"dense": {"a": 9, "b": 8, "c": 7}, "graph": {"d": 3, "e": 2, "b": 1}}
    found = scores(CombMax(), lists, "rank")
    assert list(found) == ["a", "d", "b", "e", "c"]
    assert found == pytest.approx({"a": 1, "d": 1, "b": 2 / 3, "e": 2 / 3, "c": 1 / 3})


def test_the_least_with_0_for_an_absent_document(scores, two_lists) -> None:
    assert scores(CombMin(), two_lists) == {"a": 0.5, "b": 0.0, "c": 0.0}


def test_an_absent_document_has_the_least_of_its_list_where_values_are_negative(scores) -> None:
    """Z-scores: dense a 1, b -1; graph a 2, the others -.5. And log-likelihoods, whose absent value
    would be 0.
    """
    lists = {"dense": {"a": 4, "b": 0}, "graph": {"a": 1, "c": 0, "d": 0, "e": 0, "f": 0}}
    assert scores(CombMin(), lists, "zscore") == pytest.approx(
        {"a": 1, **dict.fromkeys("bcdef", -1)}
    )
    raw = {"dense": {"a": -1, "b": -4}, "graph": {"a": -3, "b": -2, "c": -2.5}}
    assert scores(CombMin(), raw, "none") == {"a": -3, "b": -4, "c": -4}


def test_a_list_that_holds_nothing_has_no_say_in_the_least(scores) -> None:
    assert scores(CombMin(), {"dense": {"a": 2, "b": 1}, "graph": {}}, "minmax") == {"a": 1, "b": 0}
