from pathlib import Path

from MODULE import CLASS

from harness.testing import EncoderConformance


class TestCLASS(EncoderConformance):
    names = ("NAME",)
    conf = Path(__file__).parents[1] / "PACKAGE" / "conf"


def test_counts_worked_by_hand() -> None:
    """Of "ab", with two spaces before and one behind: "  a", " ab", "ab ": three groups."""
    vectors, cut = CLASS().open().encode(["ab"], "passage", lambda count: None)
    assert vectors.sum() == 3
    assert not cut.any()
