"""Figures that the PhaseGraph paper prints, recomputed from its own counts (its Tables 1, 2, 4, 7
and Section 7.2).
"""

import pytest

from harness.evaluation.statistic import mcnemar, odds_ratio, wilson


@pytest.mark.parametrize(
    ("wins", "losses", "printed"),
    [
        (15, 6, ".078"),
        (8, 1, ".039"),
        (11, 5, ".210"),
        (11, 2, ".022"),  # Figure 1; Table 1 prints .023
        (1, 6, ".125"),
        (0, 3, ".250"),
        (8, 0, ".008"),
        (7, 5, ".77"),
        (17, 6, ".035"),
        (5, 4, "1.0"),
        (23, 0, "2.4e-7"),
        (26, 0, "3.0e-8"),
        (27, 0, "1.5e-8"),
        (2, 22, "3.6e-5"),
        (26, 11, ".020"),
        (24, 7, ".003"),
    ],
)
def test_printed_p_values(wins: int, losses: int, printed: str) -> None:
    digits, _, exponent = printed.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    assert abs(mcnemar(wins, losses) - float(printed)) <= unit / 2 * (1 + 1e-9)


def test_a_p_that_is_printed_as_a_bound() -> None:
    assert mcnemar(15, 1) < 0.001


@pytest.mark.parametrize(
    ("hits", "low", "high"),
    [(26, 28.5, 51.5), (49, 62.6, 83.3), (6, 4.2, 18.4)],
)
def test_printed_wilson_intervals(hits: int, low: float, high: float) -> None:
    assert [100 * end for end in wilson(hits, 66)] == pytest.approx([low, high], abs=0.05)


@pytest.mark.parametrize(("hits", "printed"), [(49, 4.43), (52, 5.71), (53, 6.27), (6, 0.15)])
def test_printed_odds_ratios(hits: int, printed: float) -> None:
    assert odds_ratio(hits, 26, 66) == pytest.approx(printed, abs=0.005)
