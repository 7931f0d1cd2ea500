"""What a contract says of two runs that should be equal."""

import pytest

from harness.run import Run
from harness.testing.lists import assert_equal

ONE = {"q1": {"a": 1.0}, "q2": {"a": 0.1 + 0.2 + 0.3, "b": 0.25}}


@pytest.mark.parametrize(
    "other",
    [{"a": 0.3 + 0.2 + 0.1, "b": 0.25}, {"a": 0.1 + 0.2 + 0.3}],
    ids=["rounding", "one less"],
)
def test_the_first_difference_is_named(other: dict[str, float]) -> None:
    with pytest.raises(AssertionError, match="turned: query q2: "):
        assert_equal(Run.from_dict(ONE), Run.from_dict({"q1": {"a": 1.0}, "q2": other}), "turned")


def test_equal_runs_pass() -> None:
    assert_equal(Run.from_dict(ONE), Run.from_dict(ONE), "again")
