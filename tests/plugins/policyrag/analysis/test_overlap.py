"""Rank-biased overlap against hand-worked values and its own definition as a limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.core.errors import HarnessError
from harness.plugins.policyrag.analysis.diagnosis import overlap

lists = st.lists(st.integers(0, 12), unique=True, max_size=10)


def test_by_hand() -> None:
    """[1, 2] and [2, 1] at p 1/2: X = 0, 2; (1 - p)/p (0 + 1/4) + 1 x 1/4 = 1/2."""
    assert overlap([1, 2], [2, 1], 0.5) == pytest.approx(0.5)
    assert overlap([1, 2, 3], [1, 2, 3], 0.7) == pytest.approx(1)
    assert overlap([1, 2], [3, 4]) == 0
    assert overlap([], []) == 1
    assert overlap([], [1]) == 0


def test_uneven_lists_by_hand() -> None:
    """[1] and [1, 2, 3] at p 1/2: X = 1, 1, 1; sum (1/2 + 1/8 + 1/24) + (1/8 + 2/24) + 1 x 1/8 = 1:
    what the short list would go on with is taken to agree as it did.
    """
    assert overlap([1], [1, 2, 3], 0.5) == pytest.approx(1.0)


@given(lists, lists, st.floats(0.05, 0.95))
def test_symmetric_and_within_bounds(one: list[int], other: list[int], p: float) -> None:
    assert overlap(one, other, p) == pytest.approx(overlap(other, one, p))
    assert -1e-12 <= overlap(one, other, p) <= 1 + 1e-12


@given(lists.filter(bool), st.floats(0.05, 0.95))
def test_a_list_agrees_with_itself(one: list[int], p: float) -> None:
    assert overlap(one, one, p) == pytest.approx(1)


def test_bounds() -> None:
    with pytest.raises(HarnessError, match=r"diagnose\.p.*\(0.*1\].*p=0"):
        overlap([1], [1], 0)
