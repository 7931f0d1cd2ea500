from pathlib import Path

from MODULE import CLASS

from harness.testing import FuserConformance
from harness.testing.lists import fused_scores


class TestCLASS(FuserConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_one_number_worked_by_hand() -> None:
    """Percentile ranks: dense a 1, b 1/2; graph c 1, a 1/2. Both lists hold a: 1.5 x 1."""
    lists = {"dense": {"a": 0.9, "b": 0.5}, "graph": {"c": 0.03, "a": 0.01}}
    assert fused_scores(CLASS(lift=1.5), lists, "pit") == {"a": 1.5, "c": 1.0, "b": 0.5}
