"""Intervals of a strategy's numbers, as they are written."""

from types import SimpleNamespace

import pytest

from harness.core.errors import HarnessError, check_fields


@pytest.mark.parametrize(
    ("interval", "within", "beyond"),
    [
        ("[0, 1]", (0, 0.5, 1), (-0.1, 1.1, None)),
        ("(0, inf)", (0.1, 7), (0, -1, float("inf"))),
        ("(-inf, inf)", (-9.5, 0), (float("nan"), "x")),
        ("whole [1, inf)", (1, 7), (0, 1.5, True, None)),
        ("whole [1, 6] or null", (1, 6, None), (0, 7)),
    ],
)
def test_a_number_is_in_its_interval(interval: str, within: tuple, beyond: tuple) -> None:
    for value in within:
        check_fields("fuser", SimpleNamespace(k=value), k=interval)
    for value in beyond:
        with pytest.raises(HarnessError, match=r"^fuser\.k must be "):
            check_fields("fuser", SimpleNamespace(k=value), k=interval)
