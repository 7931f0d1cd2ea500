"""Dense's share by type of question, by hand."""

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.minmax import MinMax
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.plugins.dice.fuser.by_type import ByType
from harness.run import Run


def calibrated(types: list[str | None] | None) -> Calibrated:
    """Of three questions; dense has documents 0 to 14 and the graph 15 to 29, the best first."""
    ids = [f"q{place}" for place in range(3)], [f"d{place:02d}" for place in range(30)]
    queries, place = np.repeat(np.arange(3), 15), np.tile(np.arange(15), 3)
    runs = {
        name: Run.of(*ids, queries, first + place, 15.0 - place)
        for name, first in (("dense", 0), ("graph", 15))
    }
    return Calibrated(Pool.align(runs, context=Context(types=types)), MinMax(), Auto())


def test_each_type_gets_the_share_that_finds_its_gold() -> None:
    """A list's first document is in the top 10 with equal halves already, so the nearest to .5
    does. Its eighth has 1/2 of the best value: with share a of its list, the other's that are
    better have values above a / (2 (1 - a)): with .6 of it that is .75, so 4 (1, 13/14, 12/14,
    11/14) and its own 7 are before it, with .7 none but its own 7.
    """
    pool = calibrated(["Simple", "Logical", None])
    first = ByType().fit(pool, np.array([[0], [15], [15]], np.int32))
    assert first.shares == {"-": 0.5, "Logical": 0.5, "Simple": 0.5}
    eighth = ByType().fit(pool, np.array([[7], [22], [22]], np.int32))
    assert eighth.shares == {"Simple": 0.7, "Logical": 0.3, "-": 0.3}


def test_scores_are_a_sum_with_the_share_of_the_type() -> None:
    pool = calibrated(["Simple", "Logical", "new"])
    fused = ByType({"Simple": 0.9, "Logical": 0.2}, otherwise=0.4)(pool)
    assert fused[:, 0].tolist() == pytest.approx([0.9, 0.2, 0.4])  # dense's first, 1 after min-max
    assert fused[:, 15].tolist() == pytest.approx([0.1, 0.8, 0.6])


def test_what_is_not_known_is_said() -> None:
    with pytest.raises(HarnessError, match="fuser=by_type"):
        ByType()(calibrated(["a"] * 3))
    with pytest.raises(HarnessError, match="these lists come without"):
        ByType({"Simple": 0.9})(calibrated(None))
    with pytest.raises(HarnessError, match=r"fuser\.shares\.Simple.*\[0.*1\]"):
        ByType({"Simple": 2})
