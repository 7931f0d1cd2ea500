import math

import pytest

from harness.fusion.fuser.boltzmann import Boltzmann


def probabilities() -> tuple[float, float]:
    """Of two documents with percentile ranks 1 and 1/2, at T = mean(E) / 2."""
    low, high = -math.log(1 + 1e-6), -math.log(0.5 + 1e-6)
    heat = (low + high) / 4
    first, second = math.exp(-low / heat), math.exp(-high / heat)
    return first / (first + second), second / (first + second)


def test_weighted_probabilities_with_consensus(scores, two_lists) -> None:
    best, worst = probabilities()
    expected = {"a": 0.75 * best + 0.25 * worst + 0.5, "c": 0.25 * best, "b": 0.75 * worst}
    assert scores(Boltzmann(alpha=0.75, beta=0.5), two_lists) == pytest.approx(expected, rel=1e-12)


def test_equal_scores_share_equally(scores) -> None:
    lists = {"dense": {"a": 1, "b": 1, "c": 1, "d": 1}, "graph": {}}
    assert scores(Boltzmann(alpha=1), lists) == dict.fromkeys("abcd", 0.25)
