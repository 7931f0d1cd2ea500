import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from harness.plugins.phasegraph.fuser.plackett_luce import PlackettLuce, strengths


def most_likely(size: int, prior: float) -> np.ndarray:
    """Strengths that maximise the ranking's likelihood times the Gamma(prior + 1, prior) density,
    directly.
    """

    def loss(logs: np.ndarray) -> tuple[float, np.ndarray]:
        strength = np.exp(logs)
        left = strength[::-1].cumsum()[::-1]
        value = (logs - np.log(left))[:-1].sum() + prior * (logs - strength).sum()
        stages = np.append((1 / left[:-1]).cumsum(), (1 / left[:-1]).sum())
        gradient = np.append(np.ones(size - 1), 0) - strength * stages + prior * (1 - strength)
        return -value, -gradient

    return np.exp(
        minimize(loss, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-10}).x
    )


@settings(max_examples=25)
@given(st.integers(2, 12), st.floats(0.2, 5))
def test_strengths_maximise_the_likelihood(size: int, prior: float) -> None:
    found = strengths(torch.tensor([size]), size, prior)[0].numpy()
    assert found == pytest.approx(most_likely(size, prior), rel=1e-5)


def test_strengths_of_a_list_do_not_depend_on_the_other_lists() -> None:
    table = strengths(torch.tensor([0, 1, 5, 30]), 30, 0.5)
    assert torch.equal(table[2, :5], strengths(torch.tensor([5]), 5, 0.5)[0])
    assert table[1, 0] == 1


def test_products_of_strengths_by_hand(scores, two_lists) -> None:
    # Two documents, prior 1: g1 = 2 / (1/2 + 1) = 4/3, g2 = 1 / (1/2 + 1) = 2/3; absent: 1/3.
    best, worst, absent = 4 / 3, 2 / 3, 1 / 3
    expected = {
        "a": best**0.75 * worst**0.25,
        "b": worst**0.75 * absent**0.25,
        "c": absent**0.75 * best**0.25,
    }
    assert scores(PlackettLuce(alpha=0.75), two_lists) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("prior", [0.1, 0.5, 2.0])
def test_two_documents_by_hand(prior: float) -> None:
    """The last document is chosen at no stage: g1 / g2 = (1 + a) / a, and the mean is 1."""
    found = strengths(torch.tensor([1, 2]), 2, prior)
    assert found[0].tolist() == [1, 1]
    assert found[1].tolist() == pytest.approx(
        [2 * (1 + prior) / (1 + 2 * prior), 2 * prior / (1 + 2 * prior)], rel=1e-6
    )
