import pytest

from harness.core.errors import HarnessError
from harness.plugins.dice.fuser.dice import Dice


def test_each_document_keeps_its_score_and_the_graph_wins_ties(scores, two_lists) -> None:
    assert scores(Dice(), two_lists) == {"c": 1 + 1e-6, "a": 1.0, "b": 0.5}


def test_the_greater_of_both(scores, two_lists) -> None:
    lists = {"dense": {"a": 0.9, "b": 0.5}, "graph": {"b": 0.7}}
    assert scores(Dice(), lists, "none") == {"a": 0.9, "b": 0.7 + 1e-6}


def test_an_absent_value_is_no_score(scores) -> None:
    assert scores(Dice(), {"dense": {"a": -3.0}, "graph": {"b": -2.0}}, "none") == {
        "b": -2 + 1e-6,
        "a": -3,
    }


def test_bounds() -> None:
    with pytest.raises(HarnessError, match=r"fuser\.epsilon.*\[0.*epsilon=-1"):
        Dice(epsilon=-1)
