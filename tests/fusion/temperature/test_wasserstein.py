import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from harness.fusion.temperature.wasserstein import Wasserstein

LISTS = st.lists(st.integers(0, 4).map(lambda n: n / 4) | st.floats(0, 1), min_size=1, max_size=20)


def heats(*lists: list[float], padding: int = 0, **knobs: float) -> list[float]:
    rows = [sorted(values, reverse=True) + [0.0] * padding for values in lists]
    present = [[True] * len(values) + [False] * padding for values in lists]
    found = Wasserstein(**knobs)(
        [torch.tensor([row], dtype=torch.float64) for row in rows],
        [torch.tensor([row]) for row in present],
    )
    return [heat.item() for heat in found]


def test_by_hand() -> None:
    assert heats([1.0, 0.5], [0.5, 0.0], T0=0.5, gamma=2) == [1.0, 1.0]


def test_the_mean_distance_to_the_others_without_the_empty_ones() -> None:
    assert heats([1.0], [0.5], [0.0], [], T0=1, gamma=1) == [1.75, 1.5, 1.75, 1]


@given(LISTS, LISTS, st.integers(0, 5))
def test_agrees_with_scipy(first: list[float], second: list[float], padding: int) -> None:
    expected = 1 + wasserstein_distance(first, second)
    assert heats(first, second, padding=padding) == pytest.approx([expected, expected], abs=1e-12)
