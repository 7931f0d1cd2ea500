from pathlib import Path

from MODULE import CLASS

from harness.testing import DatasetConformance
from harness.work.store import Store


class TestCLASS(DatasetConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_the_last_hop_is_the_last_supporting_passage(tmp_path: Path) -> None:
    """Passages are numbered by ascending id: dune 0, lynch 1."""
    assert CLASS().load(Store(tmp_path)).gold.tolist() == [[0, 1]]
