import math

import pytest
import torch

from harness.fusion.temperature import boltzmann
from harness.fusion.temperature.auto import Auto


def heat(values: list[float]) -> float:
    row = torch.tensor([values], dtype=torch.float64)
    return Auto()([row], [torch.ones_like(row, dtype=torch.bool)])[0].item()


def test_half_of_the_mean_energy() -> None:
    energies = [-math.log(1 + 1e-6), -math.log(0.5 + 1e-6)]
    assert heat([1.0, 0.5]) == pytest.approx(sum(energies) / 4, rel=1e-14)


def test_zero_when_all_values_are_one() -> None:
    assert heat([1.0, 1.0, 1.0]) == 0


def shares(values: list[float], heat: float) -> list[float]:
    row = torch.tensor([values], dtype=torch.float64)
    return boltzmann(
        row, torch.ones_like(row, dtype=torch.bool), torch.tensor([[heat]], dtype=torch.float64)
    )[0].tolist()


def test_at_one_each_value_in_proportion() -> None:
    """exp(ln(p + 1e-6)) = p + 1e-6."""
    assert shares([0.75, 0.25], 1.0) == pytest.approx(
        [0.750001 / 1.000002, 0.250001 / 1.000002], rel=1e-12
    )


def test_near_zero_the_best_takes_all() -> None:
    """exp(-E / T) = exp(-1386) and less, all 0 in float64: what is left is the best
    document's 1.
    """
    assert shares([0.25, 0.125], 0.001) == [1.0, pytest.approx(0, abs=1e-290)]


def test_at_zero_all_have_the_same() -> None:
    assert shares([0.9, 0.1], 0.0) == [0.5, 0.5]
