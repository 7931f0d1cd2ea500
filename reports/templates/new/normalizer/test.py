from pathlib import Path

import torch
from MODULE import CLASS

from harness.testing import NormalizerConformance


class TestCLASS(NormalizerConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_values_worked_by_hand() -> None:
    """3 / (3 + 1), 1 / (1 + 1), 0."""
    scores = torch.tensor([[3.0, 1.0, -2.0]], dtype=torch.float64)
    assert CLASS(half=1.0)(scores, torch.ones(1, 3, dtype=torch.bool)).tolist() == [
        [0.75, 0.5, 0.0]
    ]
