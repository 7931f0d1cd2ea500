"""What a contract says of two runs that should be equal: the first query and document, by how much,
and the mend.
"""

import pytest

from harness.run import Run
from harness.testing.lists import assert_equal

ONE = {"q1": {"a": 1.0}, "q2": {"a": 0.1 + 0.2 + 0.3, "b": 0.25}}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            {"a": 0.3 + 0.2 + 0.1, "b": 0.25},
            "query q2, document a: 0.6000000000000001 and 0.6, 1.1e-16 apart, which is "
            "rounding: a sum depends on the order of its summands. Add lists with `total` of "
            "harness.fusion.fuser",
        ),
        ({"a": 0.1 + 0.2 + 0.3, "b": 0.5}, "query q2, document b: 0.25 and 0.5, 2.5e-01 apart"),
        ({"a": 0.1 + 0.2 + 0.3}, "query q2: document b is in one of the two lists alone"),
    ],
)
def test_the_first_difference_is_named(other: dict[str, float], told: str) -> None:
    with pytest.raises(AssertionError) as error:
        assert_equal(
            Run.from_dict(ONE),
            Run.from_dict({"q1": {"a": 1.0}, "q2": other}),
            "with the lists turned",
        )
    assert str(error.value).startswith(f"with the lists turned: {told}")
    assert ("rounding" in str(error.value)) == ("rounding" in told)


def test_equal_runs_pass() -> None:
    assert_equal(Run.from_dict(ONE), Run.from_dict(ONE), "again")
