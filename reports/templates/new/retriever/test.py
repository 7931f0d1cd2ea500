from pathlib import Path

from MODULE import CLASS

from harness.testing import RetrieverConformance
from harness.testing.world import small_benchmark
from harness.work.store import Store


class TestCLASS(RetrieverConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_a_list_worked_by_hand(tmp_path: Path) -> None:
    """The question q2 shares "is" and "rome" with d3, "is" and "missoula" with d2 and d4, "is"
    alone with others.
    """
    run, _ = CLASS(depth=3).retrieve(small_benchmark(), Store(tmp_path))
    assert run.to_dict()["q2"] == {"d2": 2.0, "d3": 2.0, "d4": 2.0}
