"""How often a gate passes, against all outcomes of few questions and the normal approximation."""

from __future__ import annotations

import pytest
from scipy.stats import multinomial, norm

from harness.evaluation.statistic import (
    difference_interval,
    gate_power,
    gate_questions_needed,
)


@pytest.mark.parametrize(
    ("discordance", "effect", "bound"), [(0.2, 0.0, -0.1), (0.5, 0.3, 0.05), (1.0, 0.0, -0.2)]
)
def test_all_outcomes_of_40_questions(discordance: float, effect: float, bound: float) -> None:
    chances = [(discordance + effect) / 2, (discordance - effect) / 2, 1 - discordance]
    passing = [
        multinomial.pmf([wins, losses, 40 - wins - losses], 40, chances)
        for wins in range(41)
        for losses in range(41 - wins)
        if difference_interval(wins, losses, 40)[0] > bound
    ]
    assert gate_power(40, discordance, effect, bound) == pytest.approx(sum(passing), abs=1e-6)


def test_questions_by_the_normal_approximation() -> None:
    """n = (z of .975 + z of .8)^2 d / margin^2, the sample size of a non-inferiority test."""
    wanted = (norm.ppf(0.975) + norm.ppf(0.8)) ** 2 * 0.1 / 0.02**2
    found = gate_questions_needed(0.1, 0.0, -0.02)
    assert found == pytest.approx(wanted, rel=0.03)
    assert gate_questions_needed(0.1, 0.0, 0.0) is None
    assert gate_power(0, 0.1, 0.0, -0.01) == 0
