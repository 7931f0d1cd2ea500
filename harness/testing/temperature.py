"""Conformance tests of temperatures."""

from __future__ import annotations

from typing import ClassVar

import pytest
import torch
from torch import Tensor

from harness.core.configuration.conf_files import strategy
from harness.fusion.normalizer import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature import Temperature, boltzmann
from harness.testing.conformance import PureConformance
from harness.testing.lists import random_runs


class TemperatureConformance(PureConformance):
    """Tests of ``names``, configurations of ``conf/temperature``."""

    concept: ClassVar[str] = "temperature"

    @pytest.fixture
    def temperature(self, name: str) -> Temperature:
        """Return the tested strategy."""
        temperature: Temperature = strategy("temperature", name)
        return temperature

    @pytest.fixture
    def calibrated(self) -> tuple[list[Tensor], list[Tensor]]:
        """Return values and presence of three lists."""
        listings = Pool.align(random_runs()).listings.values()
        return [Pit()(held.scores, held.present) for held in listings], [
            held.present for held in listings
        ]

    def test_one_column_a_list_never_negative(
        self, temperature: Temperature, calibrated: tuple[list[Tensor], list[Tensor]]
    ) -> None:
        """Each list has float64[Q, 1], finite and 0 or more."""
        temperatures = temperature(*calibrated)
        assert [item.shape for item in temperatures] == [(40, 1)] * 3
        assert all(
            item.dtype == torch.float64 and (item >= 0).all() and item.isfinite().all()
            for item in temperatures
        )

    def test_probabilities_sum_to_one_and_descend(
        self, temperature: Temperature, calibrated: tuple[list[Tensor], list[Tensor]]
    ) -> None:
        """Tested for the Boltzmann weights of every list."""
        values, present = calibrated
        for value, held, heat in zip(values, present, temperature(values, present), strict=True):
            weights = boltzmann(value, held, heat)
            assert weights.sum(dim=1).numpy() == pytest.approx(held.any(dim=1).double().numpy())
            assert (weights[:, 1:] <= weights[:, :-1]).all()

    def test_padding_and_other_queries_change_no_bit(
        self, temperature: Temperature, calibrated: tuple[list[Tensor], list[Tensor]]
    ) -> None:
        """A question alone, without padding, has the same temperature as among others."""
        values, present = calibrated
        whole = temperature(values, present)
        for query in range(40):
            alone_values, alone_present = [], []
            for item, held in zip(values, present, strict=True):
                width = int(held[query].sum())
                alone_values.append(item[query : query + 1, :width].contiguous())
                alone_present.append(held[query : query + 1, :width].contiguous())
            for alone, every in zip(temperature(alone_values, alone_present), whole, strict=True):
                assert torch.equal(alone[0], every[query])

    def test_lists_without_any_document_are_allowed(self, temperature: Temperature) -> None:
        """The lists have width 0."""
        nothing = torch.zeros((3, 0), dtype=torch.float64)
        temperatures = temperature([nothing, nothing], [nothing.bool(), nothing.bool()])
        assert all(item.shape == (3, 1) and item.isfinite().all() for item in temperatures)
        assert boltzmann(nothing, nothing.bool(), temperatures[0]).shape == (3, 0)
