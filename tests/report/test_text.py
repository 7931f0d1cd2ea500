import math

import pandas as pd
import pytest

from harness.report.text import interval, number, p_value, percent, shown


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "50.0"), (1, "100.0"), (0, "0.0"), (0.45678, "45.7"), (2 / 3, "66.7")]
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0390625, ".039"),
        (0.022460938, ".022"),
        (1.0, "1.000"),
        (0.0009999, "<.001"),
        (0.001, ".001"),
        (0.9996, "1.000"),
    ],
)
def test_p(p: float, text: str) -> None:
    assert p_value(p) == text


def test_interval() -> None:
    assert interval([0.18762, 0.81238]) == "18.8–81.2"


@pytest.mark.parametrize("value", [None, math.nan, pd.NA])
@pytest.mark.parametrize("kind", ["text", "share", "p", "count", "interval"])
def test_null_is_a_dash(value: object, kind: str) -> None:
    assert shown(value, kind) == "–"  # type: ignore[arg-type]
    assert number(value) is None


def test_what_sorts() -> None:
    assert number("a") is None
    assert number(0.25) == 0.25
    assert number([0.1, 0.2]) == 0.1
    assert number([]) is None
    assert shown([], "interval") == "–"
