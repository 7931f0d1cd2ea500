"""What a lock says was learned is checked as it is read: a mistake is one line, never a traceback
or a number.
"""

import pytest

from harness.core.errors import HarnessError
from harness.plugins.mentions.fuser.boosted import Boosted
from harness.plugins.mentions.fuser.learned import Learned
from harness.plugins.mentions.reranker.relational import Relational

LEAF = [0, 0.0, -1, -1, 0.5]
GOOD = [[[0, 0.5, 1, 2, 0.0], LEAF, LEAF]]
TREES = {
    "no trees": [],
    "a word": "trees",
    "an empty tree": [[]],
    "a negative column": [[[-2, 0.5, 1, 2, 0.0], LEAF, LEAF]],
    "a column beyond": [[[99, 0.5, 1, 2, 0.0], LEAF, LEAF]],
    "a leaf's column beyond": [[[99, 0.5, -1, -1, 0.0]]],
    "a child beyond": [[[0, 0.5, 1, 9, 0.0], LEAF, LEAF]],
    "a child that is its parent": [[[0, 0.5, 0, 1, 0.0], LEAF]],
    "a short row": [[[0, 0.5, 1, 2], LEAF, LEAF]],
    "a word in a row": [[["0", 0.5, 1, 2, 0.0], LEAF, LEAF]],
    "an infinite value": [[[0, 0.5, -1, -1, float("inf")]]],
    "no list": [[7]],
}


@pytest.mark.parametrize("what", TREES)
def test_trees_are_checked(what):
    for make in (
        lambda trees: Boosted(forest={"lists": ["dense", "graph"], "trees": trees}),
        lambda trees: Relational(forest=trees),
    ):
        make(GOOD)
        with pytest.raises(HarnessError, match="forest") as caught:
            make(TREES[what])
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "value", [[1], {"dense": 1}, {"dense": "x"}, {"dense": [float("inf")]}, {"dense": [None]}]
)
def test_numbers_by_list_are_checked(value):
    with pytest.raises(HarnessError, match="coefficients"):
        Learned(coefficients=value)


@pytest.mark.parametrize("value", [[1], {}, {"lists": []}, {"lists": [1], "trees": GOOD}, "x"])
def test_a_forest_names_its_lists(value):
    with pytest.raises(HarnessError, match=r"fuser\.forest"):
        Boosted(forest=value)
