import math

import pytest

from harness.fusion.temperature.fixed import Fixed
from harness.plugins.phasegraph.fuser.quantum import Quantum

BEST, WORST = (1 + 1e-6) / (1.5 + 2e-6), (0.5 + 1e-6) / (1.5 + 2e-6)


@pytest.mark.parametrize("theta", [0.0, 1.0, math.pi / 2, math.pi])
def test_interference_of_what_both_lists_hold(theta: float, scores, two_lists) -> None:
    expected = {
        "a": BEST + WORST + 2 * math.sqrt(BEST * WORST) * math.cos(theta),
        "b": WORST,
        "c": BEST,
    }
    found = scores(Quantum(theta=theta), two_lists, temperature=Fixed(1.0))
    assert found == pytest.approx(expected, rel=1e-12)
