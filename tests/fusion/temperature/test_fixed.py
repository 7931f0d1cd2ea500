import math

import pytest

from harness.fusion.fuser.boltzmann import Boltzmann
from harness.fusion.temperature.fixed import Fixed


def test_boltzmann_weights_at_the_given_temperature(scores) -> None:
    better, worse = math.exp(math.log(1 + 1e-6) / 0.5), math.exp(math.log(0.5 + 1e-6) / 0.5)
    expected = {"a": better / (better + worse), "b": worse / (better + worse)}
    lists = {"dense": {"a": 2, "b": 1}, "graph": {}}
    assert scores(Boltzmann(alpha=1), lists, temperature=Fixed(T=0.5)) == pytest.approx(
        expected, rel=1e-12
    )
