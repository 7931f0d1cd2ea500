import math

import pytest
import torch

from harness.fusion.temperature.auto import Auto


def heat(values: list[float]) -> float:
    row = torch.tensor([values], dtype=torch.float64)
    return Auto()([row], [torch.ones_like(row, dtype=torch.bool)])[0].item()


def test_half_of_the_mean_energy() -> None:
    energies = [-math.log(1 + 1e-6), -math.log(0.5 + 1e-6)]
    assert heat([1.0, 0.5]) == pytest.approx(sum(energies) / 4, rel=1e-14)


def test_zero_when_all_values_are_one() -> None:
    assert heat([1.0, 1.0, 1.0]) == 0
