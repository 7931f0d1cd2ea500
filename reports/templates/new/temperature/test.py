from pathlib import Path

import torch
from MODULE import CLASS

from harness.testing import TemperatureConformance


class TestCLASS(TemperatureConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_a_temperature_worked_by_hand() -> None:
    """2 x (1 - 0.25); the third place is padding."""
    values = torch.tensor([[1.0, 0.25, 0.0]], dtype=torch.float64)
    present = torch.tensor([[True, True, False]])
    assert CLASS(scale=2.0)([values], [present])[0].tolist() == [[1.5]]
