import math

import pytest
import torch

from harness.fusion.fuser.boltzmann import Boltzmann
from harness.fusion.temperature.fixed import Fixed
from harness.plugins.phasegraph.fuser.tsallis import Tsallis, tsallis_weights


def tails(q: float, heat: float) -> tuple[float, float]:
    """Normalised q-exponentials of the energies of percentile ranks 1 and 1/2."""
    best, worst = (
        max(0.0, 1 + (1 - q) * (math.log(p + 1e-6) / heat)) ** (1 / (1 - q)) for p in (1.0, 0.5)
    )
    return best / (best + worst), worst / (best + worst)


@pytest.mark.parametrize(("q", "heat"), [(1.5, 1.0), (2.0, 0.3), (0.5, 0.2)])
def test_the_graph_list_has_heavier_tails(q: float, heat: float, scores, two_lists) -> None:
    best, worst = tails(q, heat)
    first = 1 / (1 + ((0.5 + 1e-6) / (1 + 1e-6)) ** (1 / heat))
    expected = {"a": 0.75 * first + 0.25 * worst + 0.5, "b": 0.75 * (1 - first), "c": 0.25 * best}
    found = scores(Tsallis(alpha=0.75, beta=0.5, q=q), two_lists, temperature=Fixed(heat))
    assert found == pytest.approx(expected, rel=1e-12)


def test_q_one_is_boltzmann_and_so_is_the_limit(scores, two_lists) -> None:
    expected = scores(Boltzmann(alpha=0.4), two_lists)
    assert scores(Tsallis(alpha=0.4, q=1), two_lists) == expected
    assert scores(Tsallis(alpha=0.4, q=1 + 1e-9), two_lists) == pytest.approx(expected, rel=1e-6)


def test_no_temperature_makes_a_weight_that_is_no_number() -> None:
    values = torch.tensor([[1.0, 1 - 1e-7, 0.0]], dtype=torch.float64).repeat(4, 1)
    heat = torch.tensor([[0.0], [1e-12], [5e-7], [1e6]], dtype=torch.float64)
    for q in (0.5, 1.5, 3):
        weights = tsallis_weights(values, torch.ones_like(values, dtype=torch.bool), heat, q)
        assert weights.sum(dim=1).tolist() == pytest.approx([1] * 4)
        assert weights[0].tolist() == pytest.approx([1 / 3] * 3)
        assert (weights[:, 1:] <= weights[:, :-1]).all()


def test_below_one_the_best_share_all_where_no_weight_is_left() -> None:
    """q = .5: the weight is (1 - E / 2T)^2 where E < 2T. E = ln 2 of .5 and ln 4 of .25, so at T =
    ln 2 they are 1/4 and 0; at T = (3 / 4) ln 2 still 1/9 and 0, and from T = ln 2 / 2 on none is
    left.
    """
    values = torch.tensor([[0.25, 0.5, 0.0, 0.9], [0.25, 0.5, 0.5, 0.9]], dtype=torch.float64)
    present = torch.tensor([[True, True, True, False]]).expand(2, 4)
    for heat in (0.75 * math.log(2), 0.3, 1e-9):
        weights = tsallis_weights(values, present, torch.full((2, 1), heat), 0.5)
        assert weights.tolist() == [[0, 1, 0, 0], [0, 0.5, 0.5, 0]]
    nothing = torch.empty((2, 0), dtype=torch.float64)
    assert tsallis_weights(nothing, nothing > 0, torch.ones((2, 1)), 0.5).shape == (2, 0)
