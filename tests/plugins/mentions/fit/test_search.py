"""A bowl whose bottom is known; bounds, penalty, early stopping, and what is refused."""

import pytest

from harness.core.errors import HarnessError
from harness.plugins.mentions.fit.search import Search

KNOBS = {"a": [0.0, -4.0, 4.0, 1.0], "b": [0.0, -4.0, 4.0, 1.0]}


def bowl(weights):
    return -((weights["a"] - 2.25) ** 2) - (weights["b"] + 3) ** 2


def test_it_finds_the_bottom_to_a_quarter_of_a_step():
    search = Search(rounds=20, halvings=2, stop=0.0001, penalty=0)
    assert search(bowl, KNOBS) == {"a": 2.25, "b": -3.0}


def test_it_stays_within_bounds_and_rounds_end_it():
    inside = {**KNOBS, "b": [0.0, -1.5, 4.0, 1.0]}
    assert Search(rounds=20, penalty=0)(bowl, inside)["b"] == -1.5
    assert Search(rounds=1, penalty=0)(bowl, KNOBS) == {"a": 1.0, "b": -1.0}


def test_a_penalty_holds_it_at_the_start():
    """Moving b by 1 of a range of 8 gains 9 - 4 = 5 and costs penalty / 64."""
    assert Search(rounds=1, penalty=64 * 5.5)(bowl, KNOBS)["b"] == 0
    assert Search(rounds=1, penalty=64 * 4.5)(bowl, KNOBS)["b"] == -1


def test_it_asks_at_most_so_often_and_the_same_in_any_order_of_the_knobs():
    asked = []

    def counted(weights):
        asked.append(dict(weights))
        return bowl(weights)

    search = Search(rounds=5, stop=0, halvings=0)
    first = search(counted, KNOBS)
    assert len(asked) <= 1 + 2 * 5 * 2
    again = search(lambda weights: bowl(weights), dict(reversed(KNOBS.items())))
    assert first == again


def test_early_stopping_ends_what_gains_too_little():
    asked = []

    def flat(weights):
        asked.append(weights)
        return 0.0

    Search(rounds=50, halvings=1, stop=0.001)(flat, KNOBS)
    assert len(asked) == 1 + 2 * 4


@pytest.mark.parametrize(
    ("knob", "words"),
    [
        ([0, 1], r"must be \[start, low, high, step\], got \[0, 1\]"),
        ([5, 0, 4, 1], r"must be in \[0, 4\], got"),
        ([0, 0, 4, 0], r"step must be in \(0, inf\)"),
        ([0, 0, 0, 1], r"must be in \(0, inf\)"),
        ("1", "must be"),
    ],
)
def test_what_no_knob_is(knob, words):
    with pytest.raises(HarnessError, match=words):
        Search()(bowl, {"a": knob})
