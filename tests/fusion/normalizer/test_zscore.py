import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import zscore

from harness.fusion.normalizer.zscore import ZScore


def values(scores: list[float]) -> list[float]:
    row = torch.tensor([sorted(scores, reverse=True)], dtype=torch.float64)
    return ZScore()(row, torch.ones_like(row, dtype=torch.bool))[0].tolist()


def test_standard_scores_by_hand() -> None:
    assert values([2, 4, 4, 4, 5, 5, 7, 9]) == [2, 1, 0, 0, -0.5, -0.5, -0.5, -1.5]


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_agrees_with_scipy(scores: list[float]) -> None:
    assume(max(scores) - min(scores) > 1e-3)
    assert values(scores) == pytest.approx(zscore(sorted(scores, reverse=True)), abs=1e-9)


def test_a_constant_list_is_zero_even_when_its_mean_is_rounded() -> None:
    assert values([0.1] * 3) == [0, 0, 0]


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_squares_neither_vanish_nor_overflow(scale: float) -> None:
    assert values([3 * scale, scale]) == pytest.approx([1, -1])


def test_an_unseen_document_has_the_least_value(scores) -> None:
    lists = {"dense": {"a": 3, "b": 1}, "graph": {"c": 1}}
    assert scores("combsum", lists, ZScore()) == {"a": 1, "b": -1, "c": -1}
