"""What holds for every temperature."""

import pytest
import torch

from harness.configuration import names, strategy
from harness.normalizer.pit import Pit
from harness.pool import Pool
from harness.temperature import boltzmann


@pytest.fixture(params=names("temperature"))
def temperature(request: pytest.FixtureRequest):
    return strategy("temperature", request.param)


def calibrated(runs) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    listings = Pool.align(runs).listings.values()
    return [Pit()(held.scores, held.present) for held in listings], [held.present for held in listings]


def test_one_column_a_list_never_negative(temperature, random_runs) -> None:
    values, present = calibrated(random_runs())
    found = temperature(values, present)
    assert [item.shape for item in found] == [(40, 1)] * 3
    assert all(item.dtype == torch.float64 and (item >= 0).all() and item.isfinite().all() for item in found)


def test_probabilities_sum_to_one_and_descend(temperature, random_runs) -> None:
    values, present = calibrated(random_runs())
    for value, held, heat in zip(values, present, temperature(values, present), strict=True):
        weights = boltzmann(value, held, heat)
        assert weights.sum(dim=1).numpy() == pytest.approx(held.any(dim=1).double().numpy())
        assert (weights[:, 1:] <= weights[:, :-1]).all()


def test_padding_and_other_queries_change_no_bit(temperature, random_runs) -> None:
    values, present = calibrated(random_runs())
    whole = temperature(values, present)
    for query in range(40):
        widths = [int(held[query].sum()) for held in present]
        cut = [
            [item[query : query + 1, :width].contiguous() for item, width in zip(items, widths, strict=True)]
            for items in (values, present)
        ]
        for alone, every in zip(temperature(*cut), whole, strict=True):
            assert torch.equal(alone[0], every[query])


def test_lists_without_any_document_are_allowed(temperature) -> None:
    nothing = torch.zeros((3, 0), dtype=torch.float64)
    found = temperature([nothing, nothing], [nothing.bool(), nothing.bool()])
    assert all(item.shape == (3, 1) and item.isfinite().all() for item in found)
    assert boltzmann(nothing, nothing.bool(), found[0]).shape == (3, 0)
