import math

import pytest

from harness.core.table.format import (
    counted,
    digits,
    interval,
    p_value,
    percent,
    percents,
    show,
    sort_key,
)


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "50.0"), (1, "100.0"), (0, "0.0"), (0.45678, "45.7"), (2 / 3, "66.7")]
)
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(112.6, "110"), (4.3e-05, "0.000043"), (0.5, "0.5"), (math.inf, "inf")]
)
def test_digits_without_an_exponent(value: float, text: str) -> None:
    assert digits(value, 2) == text


def test_counted() -> None:
    names = ("query", "question", "key")
    assert [counted(2, name) for name in names] == ["2 queries", "2 questions", "2 keys"]


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0390625, ".039"),
        (0.022460938, ".022"),
        (1.0, "1.000"),
        (0.0009999, "<.001"),
        (0.001, ".001"),
        (0.9996, "1.000"),
        (0.0504, ".0504"),
        (0.05, ".050"),
        (0.0496, ".050"),
    ],
)
def test_p(p: float, text: str) -> None:
    assert p_value(p) == text


def test_interval() -> None:
    assert interval([0.18762, 0.81238]) == "18.8–81.2"


@pytest.mark.parametrize("value", [None, math.nan])
@pytest.mark.parametrize("kind", ["text", "share", "p", "count", "interval"])
def test_null_is_a_dash(value: object, kind: str) -> None:
    assert show(value, kind) == "–"  # type: ignore[arg-type]
    assert sort_key(value) is None


def test_what_sorts() -> None:
    assert sort_key("a") is None
    assert sort_key(0.25) == 0.25
    assert sort_key([0.1, 0.2]) == 0.1
    assert sort_key([]) is None
    assert show([], "interval") == "–"


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.0183, "points", "+1.8"),
        (-0.05, "points", "-5.0"),
        ([-0.004, 0.036], "span", "-0.4 to +3.6"),
        ([0.0004, 0.03], "span", "+0.04 to +3.00"),
        ([0.0, 0.03], "span", "+0.0 to +3.0"),
        (None, "span", "–"),
        (0.25, "value", "0.25"),
        (1.2e-7, "value", "0.00000012"),
        (3, "value", "3"),
    ],
)
def test_other_kinds(value: object, kind: str, text: str) -> None:
    assert show(value, kind) == text  # type: ignore[arg-type]


def test_what_differs_looks_different() -> None:
    """Printed to one decimal, .93257 would be the bound 93.3 that it is said to lie outside of."""
    assert percents(0.93257, 0.933, 0.983) == ["93.26", "93.30", "98.30"]
    assert percents(0.8, 0.4, 0.8) == ["80.0", "40.0", "80.0"]
