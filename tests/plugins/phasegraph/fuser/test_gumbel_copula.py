import math

import pytest

from harness.plugins.phasegraph.fuser.gumbel_copula import GumbelCopula

DENSE = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}


def copula(u: float, v: float, t: float) -> float:
    return math.exp(-(((-math.log(u)) ** t + (-math.log(v)) ** t) ** (1 / t)))


def test_one_swap_of_four(scores) -> None:
    # One of six pairs is discordant: tau = (5 - 1) / 6 = 2/3, so t = 3.
    graph = {"b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0}
    expected = {"a": 0.75, "b": 0.75, "c": copula(0.5, 0.5, 3), "d": copula(0.25, 0.25, 3)}
    assert copula(1, 0.75, 3) == pytest.approx(0.75)
    assert scores(GumbelCopula(), {"dense": DENSE, "graph": graph}) == pytest.approx(
        expected, rel=1e-12
    )


def test_fewer_than_three_shared_documents_are_independent(scores, two_lists) -> None:
    expected = {"a": 1 * 0.5, "b": 0.5 * 0.25, "c": 0.25 * 1}
    assert scores(GumbelCopula(), two_lists) == pytest.approx(expected, rel=1e-12)


def test_the_same_order_gives_the_smaller_rank(scores) -> None:
    lists = {"dense": DENSE, "graph": {"a": 9.0, "b": 3.0, "c": 1.0}}
    expected = {"a": 1, "b": 2 / 3, "c": 1 / 3, "d": 1 / 6}
    assert scores(GumbelCopula(), lists) == pytest.approx(expected, rel=1e-12)


def test_opposite_orders_are_taken_as_independent(scores) -> None:
    graph = {"d": 4.0, "c": 3.0, "b": 2.0, "a": 1.0}
    expected = {"a": 0.25, "d": 0.25, "b": 0.375, "c": 0.375}
    assert scores(GumbelCopula(), {"dense": DENSE, "graph": graph}) == pytest.approx(
        expected, rel=1e-12
    )
