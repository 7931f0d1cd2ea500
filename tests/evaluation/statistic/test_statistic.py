"""Statistics: published values, worked examples, statsmodels, SciPy, and enumeration."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from harness.core.errors import HarnessError
from harness.evaluation.statistic import (
    bootstrap,
    difference_interval,
    holm,
    mcnemar,
    mcnemar_power,
    mcnemar_ps,
    odds_ratio,
    queries_needed,
    smallest_effect,
    wilson,
)
from harness.evaluation.statistic.intervals import wilson_bounds


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (8, 1, 0.039),
        (11, 2, 0.022),
        (15, 6, 0.078),
        (11, 5, 0.210),
        (1, 6, 0.125),
        (0, 3, 0.250),
        (8, 0, 0.008),
        (26, 11, 0.020),
        (24, 7, 0.003),
        (17, 6, 0.035),
        (7, 5, 0.774),
        (5, 4, 1.0),
        (0, 0, 1.0),
    ],
)
def test_published_p_values(wins: int, losses: int, p: float) -> None:
    assert round(mcnemar(wins, losses), 3) == p


@pytest.mark.parametrize(
    ("wins", "losses", "p"), [(23, 0, 2.4e-7), (26, 0, 3.0e-8), (27, 0, 1.5e-8), (2, 22, 3.6e-5)]
)
def test_published_small_p_values(wins: int, losses: int, p: float) -> None:
    """And Fagerland, Lydersen & Laake (2013), Bentur's data: 1 against 7, exact .0703."""
    assert mcnemar(wins, losses) == pytest.approx(p, rel=0.02)
    assert round(mcnemar(1, 7), 4) == 0.0703


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_that_of_statsmodels_and_scipy(wins: int, losses: int) -> None:
    p = mcnemar(wins, losses)
    assert p == mcnemar(losses, wins)
    if wins + losses:
        assert p == pytest.approx(
            statsmodels_mcnemar([[0, wins], [losses, 0]], exact=True).pvalue, rel=1e-9
        )
        assert p == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)


@pytest.mark.parametrize(("wins", "losses"), [(-1, 2), (1.5, 2)])
def test_counts_are_whole_and_not_negative(wins: float, losses: float) -> None:
    with pytest.raises(HarnessError, match="wins must be a whole number"):
        mcnemar(wins, losses)  # type: ignore[arg-type]


@pytest.mark.parametrize(("successes", "ratio"), [(49, 4.43), (52, 5.71), (53, 6.27), (6, 0.15)])
def test_published_odds_ratios(successes: int, ratio: float) -> None:
    """PG Table 4: against 39.4% of 66."""
    assert round(odds_ratio(successes, 26, 66), 2) == ratio


def test_odds_ratios_at_the_edges() -> None:
    assert odds_ratio(66, 26, 66) == math.inf
    assert odds_ratio(0, 26, 66) == 0
    assert math.isnan(odds_ratio(0, 0, 66))
    with pytest.raises(ValueError, match="n=5"):
        odds_ratio(6, 1, 5)


@pytest.mark.parametrize(
    ("successes", "low", "high"),
    [(26, 28.5, 51.5), (49, 62.6, 83.3), (52, 67.5, 86.9), (53, 69.2, 88.1), (6, 4.2, 18.4)],
)
def test_published_wilson_intervals(successes: int, low: float, high: float) -> None:
    """PG Table 4; its 87.2 and 88.2 for 52 and 53 of 66 are 86.9 and 88.1."""
    assert [round(100 * end, 1) for end in wilson(successes, 66)] == [low, high]


@given(st.integers(0, 500), st.integers(1, 500), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_is_that_of_scipy(successes: int, failures: int, level: float) -> None:
    n = successes + failures
    theirs = scipy.stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    assert wilson(successes, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_at_the_edges() -> None:
    assert wilson(0, 0) == (0, 1)
    assert wilson(0, 20)[0] == 0
    assert wilson(20, 20)[1] == 1
    with pytest.raises(ValueError, match="successes=21"):
        wilson(21, 20)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, None, "3", -1])
def test_what_is_no_count_is_one_line(wrong: Any) -> None:
    asked: list[Callable[[], object]] = [
        lambda: mcnemar(wrong, 2),
        lambda: odds_ratio(1, wrong, 5),
        lambda: mcnemar_power(wrong, 0.1, 0.05),
        lambda: wilson(wrong, 3),
        lambda: wilson(0, wrong),
        lambda: difference_interval(wrong, 2, 10),
        lambda: difference_interval(0, 0, wrong),
    ]
    for ask in asked:
        with pytest.raises(HarnessError, match=r"got \w+="):
            ask()


def test_bootstrap_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, 400)
    low, high = bootstrap(values)
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, method="percentile", rng=5
    )
    assert (low, high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.02)
    assert bootstrap(values) == (low, high)
    assert bootstrap(values, seed=1) != (low, high)
    assert bootstrap([2.0]) == (2, 2)
    assert all(math.isnan(end) for end in bootstrap([]))
    with pytest.raises(ValueError, match="finite"):
        bootstrap([1.0, math.nan])
    with pytest.raises(HarnessError, match="level"):
        bootstrap([1.0], level=0)


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), max_size=30))
def test_adjusted_p_values_are_those_of_statsmodels(ps: list[float]) -> None:
    gc.freeze()  # statsmodels searches for garbage at each call
    assert holm(ps).tolist() == (multipletests(ps, method="holm")[1].tolist() if ps else [])


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=20),
    st.integers(800, 900),
)
def test_what_counts_hundreds_of_trials_is_that_of_statsmodels(
    counts: list[tuple[int, int]], n: int
) -> None:
    wins, losses = np.array(counts).T
    ps = mcnemar_ps(wins, losses)
    assert ps == pytest.approx([mcnemar(*pair) for pair in counts], rel=1e-9)
    assert wilson_bounds(wins, n) == pytest.approx(
        np.array([wilson(count, n) for count in wins.tolist()]), abs=1e-12
    )


def test_adjusted_by_hand() -> None:
    ps = [0.01, 0.04, None, 0.03, 0.005]
    assert holm(ps) == pytest.approx([0.03, 0.06, math.nan, 0.06, 0.02], nan_ok=True)
    assert math.isnan(holm([None])[0])
    with pytest.raises(ValueError, match="p values"):
        holm([1.5])


def enumerated_power(n: int, discordance: float, effect: float, alpha: float) -> float:
    """Every table (W, L) with its multinomial probability."""
    won, lost = (discordance + effect) / 2, (discordance - effect) / 2
    return sum(
        scipy.stats.multinomial.pmf([w, lo, n - w - lo], n, [won, lost, 1 - discordance])
        for w in range(n + 1)
        for lo in range(n + 1 - w)
        if mcnemar(w, lo) <= alpha
    )


@pytest.mark.parametrize(
    ("n", "discordance", "effect", "alpha"),
    [(30, 0.4, 0.3, 0.05), (25, 1.0, -0.5, 0.01), (12, 0.9, 0.9, 0.05), (4, 1, 1, 0.05)],
)
def test_power_is_that_of_enumeration(
    n: int, discordance: float, effect: float, alpha: float
) -> None:
    expected = enumerated_power(n, discordance, effect, alpha)
    assert mcnemar_power(n, discordance, effect, alpha) == pytest.approx(expected, abs=1e-12)


def test_a_p_equal_to_alpha_is_a_finding() -> None:
    """All n questions differ and are won: p = 2 / 2^n."""
    assert {mcnemar_power(n, 1.0, 1.0, alpha=2.0 ** (1 - n)) for n in range(1, 80)} == {1}


def test_power_without_an_effect_stays_below_alpha() -> None:
    for n in (10, 100, 1000, 20_000):
        assert 0 <= mcnemar_power(n, 0.1, 0.0) <= 0.05
    assert mcnemar_power(100, 0.0, 0.0) == 0
    assert mcnemar_power(20_000, 0.1, 0.1) == pytest.approx(
        1, abs=1e-9
    )  # all counts that are likely are added


def test_power_by_simulation() -> None:
    rng = np.random.default_rng(11)
    tables = rng.multinomial(491, [0.06, 0.02, 0.92], size=4000)
    rejected = np.mean([mcnemar(int(w), int(lo)) <= 0.05 for w, lo, _ in tables])
    assert mcnemar_power(491, 0.08, 0.04) == pytest.approx(rejected, abs=3 * math.sqrt(0.25 / 4000))


def test_smallest_effect_has_the_power_and_a_smaller_one_has_not() -> None:
    effect = smallest_effect(491, 0.08)
    assert effect is not None
    assert mcnemar_power(491, 0.08, effect) >= 0.8 > mcnemar_power(491, 0.08, effect - 1e-6)
    assert smallest_effect(20, 0.1) is None


def test_queries_needed_have_the_power_and_fewer_have_not() -> None:
    n = queries_needed(0.08, 0.04)
    assert n is not None
    assert (
        min(mcnemar_power(m, 0.08, 0.04) for m in range(n, n + 40))
        >= 0.8
        > mcnemar_power(n - 1, 0.08, 0.04)
    )
    assert queries_needed(0.08, 0.0) is None
    assert queries_needed(1.0, 1.0) == 6  # 2 / 2 ** 6 is the first below .05
    assert queries_needed(1.0, 1.0, alpha=1.0) == 1  # every p is at most 1


@pytest.mark.parametrize("effect", [0.5, 0.6, 0.7])
def test_from_the_answer_on_the_power_stays_though_it_is_a_saw_tooth(effect: float) -> None:
    """Every query differs, so W is binomial."""

    def power(n: int) -> float:
        won = [w for w in range(n + 1) if scipy.stats.binomtest(w, n).pvalue <= 0.05]
        return float(scipy.stats.binom.pmf(won, n, (1 + effect) / 2).sum())

    n = queries_needed(1.0, effect)
    assert n is not None
    assert min(map(power, range(n, n + n // 10 + 10))) >= 0.8 > power(n - 1)
    assert max(map(power, range(5, n))) >= 0.8


@pytest.mark.parametrize("power", [0, 1, 1.5])
def test_a_power_that_no_number_of_queries_gives_is_refused(power: float) -> None:
    for ask in (smallest_effect, queries_needed):
        with pytest.raises(HarnessError, match=r"\(0, 0\.999\]"):
            ask(100, 0.05, power) if ask is smallest_effect else ask(0.1, 0.05, power)
