"""Conformance tests of normalizers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
import torch
from torch import Tensor

from harness.fusion.normalizer import Normalizer, for_list
from harness.fusion.pool import Pool
from harness.testing.conformance import PureConformance
from harness.testing.lists import random_runs


class NormalizerConformance(PureConformance):
    """Tests of ``names``, configurations of ``conf/normalizer``."""

    concept: ClassVar[str] = "normalizer"

    @pytest.fixture
    def normalizer(self, name: str) -> Normalizer:
        """Return the tested strategy, for the list ``bm25``."""
        return for_list(self.make(name), "bm25")

    def test_values_are_float64_descend_and_keep_within_what_is_declared(
        self, normalizer: Normalizer
    ) -> None:
        """Values are in [0, 1] if ``unit`` is true."""
        for name, held in Pool.align(random_runs()).listings.items():
            values = for_list(normalizer, name)(held.scores, held.present)
            assert values.dtype == torch.float64
            assert values.shape == held.scores.shape
            shown = torch.where(held.present, values, -torch.inf)
            assert (shown[:, 1:] <= shown[:, :-1]).all()
            if normalizer.unit:
                assert ((values >= 0) & (values <= 1))[held.present].all()

    def test_no_document_of_the_list_is_below_an_absent_one(self, normalizer: Normalizer) -> None:
        """``absent`` is at most the least value of its question."""
        held = Pool.align(random_runs()).listings["bm25"]
        values = normalizer(held.scores, held.present)
        absent = torch.as_tensor(
            normalizer.absent(values, held.present), dtype=torch.float64
        ).expand_as(values)
        assert (values >= absent)[held.present].all()

    def test_a_block_of_queries_gives_the_values_of_each_query_alone(
        self, normalizer: Normalizer
    ) -> None:
        """Bits do not change."""
        run = random_runs()["bm25"]
        whole = Pool.align({"bm25": run}).listings["bm25"]
        values = normalizer(whole.scores, whole.present)
        for query in range(len(run)):
            single = Pool.align({"bm25": run.take(np.array([query]))}).listings["bm25"]
            alone = normalizer(single.scores, single.present)
            assert torch.equal(alone[0], values[query, : alone.shape[1]])

    def test_empty_lists_are_allowed_and_absent_is_zero_there(self, normalizer: Normalizer) -> None:
        """Lists with and without padding."""
        for width in (0, 3):
            scores, present = (
                torch.zeros((2, width), dtype=torch.float64),
                torch.zeros((2, width), dtype=torch.bool),
            )
            values = normalizer(scores, present)
            assert values.shape == (2, width)
            assert not torch.as_tensor(normalizer.absent(values, present)).any()

    def test_the_input_is_left_as_it_is(self, normalizer: Normalizer) -> None:
        """Scores and presence are not overwritten."""
        scores, present = _listing([0.9, 0.2, 0.2], padding=2)
        before = scores.clone(), present.clone()
        normalizer(scores, present)
        assert torch.equal(scores, before[0])
        assert torch.equal(present, before[1])


def _listing(scores: list[float], padding: int = 0) -> tuple[Tensor, Tensor]:
    """Return one question's list: float64[1, N] and bool[1, N]."""
    row = sorted(scores, reverse=True) + [0.0] * padding
    present = [True] * len(scores) + [False] * padding
    return torch.tensor([row], dtype=torch.float64), torch.tensor([present])
