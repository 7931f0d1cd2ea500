from pathlib import Path

import torch
from MODULE import CLASS

from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.run import Run
from harness.testing import RerankerConformance


class TestCLASS(RerankerConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_an_order_worked_by_hand() -> None:
    """a, b, c have 1, 1/2, 0; both lists hold b, so it has 1/2 + 1."""
    lists = {"dense": [0, 1], "graph": [1, 2]}  # by document number
    runs = {
        name: Run.of(["q"], ["a", "b", "c"], [0, 0], docs, [0.9, 0.5])
        for name, docs in lists.items()
    }
    pool = Calibrated(Pool.align(runs), Pit(), Auto())
    assert CLASS(bonus=1.0)(
        torch.tensor([[3.0, 2.0, 1.0]], dtype=torch.float64), pool
    ).tolist() == [[1.0, 1.5, 0.0]]
