"""Conformance tests of rerankers."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch import Tensor

from harness.fusion.context import Context
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer import Pit
from harness.fusion.pool import Pool
from harness.fusion.reranker import Reranker
from harness.fusion.temperature import Auto
from harness.run import Run
from harness.testing.conformance import PureConformance
from harness.testing.lists import random_runs, under_default_types


class RerankerConformance(PureConformance):
    """Tests of ``names``, configurations of ``conf/reranker``; override ``context`` for other
    inputs.
    """

    concept: ClassVar[str] = "reranker"

    def context(self, runs: dict[str, Run]) -> Context:
        """Return the pool's further inputs: which of 20 entities each document mentions."""
        documents = len(next(iter(runs.values())).doc_ids)
        mentions = csr_array(np.random.default_rng(2).random((documents, 20)) < 0.1, dtype=np.int64)
        return Context(mentions=dict.fromkeys(runs, mentions))

    @pytest.fixture
    def reranker(self, name: str) -> Reranker:
        """Return the tested strategy."""
        reranker: Reranker = self.make(name)
        return reranker

    @pytest.fixture
    def pool(self) -> Calibrated:
        """Return two aligned lists."""
        return self._aligned(random_runs(names=("dense", "graph")))

    def _aligned(self, runs: dict[str, Run]) -> Calibrated:
        return Calibrated(Pool.align(runs, context=self.context(runs)), Pit(), Auto())

    @staticmethod
    def fused(pool: Calibrated) -> Tensor:
        """Return float64[Q, U], distinct scores; every fifth document is left out."""
        docs = pool.pool.docs
        scores = torch.linspace(1, 0, docs.shape[1], dtype=torch.float64).expand(docs.shape)
        return scores.masked_fill((docs % 5 == 0) | (docs < 0), -torch.inf)

    def test_it_declares_what_it_reads(self, reranker: Reranker) -> None:
        """``reads`` is declared."""
        assert reranker.reads <= {"mentions", "texts", "seeds", "relations"}

    def test_the_same_documents_in_another_order(
        self, reranker: Reranker, pool: Calibrated
    ) -> None:
        """The result is float64[Q, U]; documents that were left out stay out."""
        fused = self.fused(pool)
        reranked = reranker(fused.clone(), pool)
        assert reranked.dtype == torch.float64
        assert torch.equal(reranked == -torch.inf, fused == -torch.inf)
        assert not reranked.isnan().any()

    def test_documents_below_the_best_m_keep_their_order(self, name: str, pool: Calibrated) -> None:
        """Tested if there is a field ``m``, the number of reranked documents."""
        reranker = self.make(name)
        if not hasattr(reranker, "m"):
            pytest.skip("has no m")
        fused = self.fused(pool)
        reranked = dataclasses.replace(reranker, m=3)(fused.clone(), pool)
        for row, before in zip(reranked, fused, strict=True):
            order = torch.argsort(before, descending=True, stable=True)
            expected = order[: int((before != -torch.inf).sum())]
            after = torch.argsort(row, descending=True, stable=True)[: len(expected)]
            assert set(after[:3].tolist()) == set(expected[:3].tolist())
            assert after[3:].tolist() == expected[3:].tolist()

    def test_it_gives_the_same_bits_again(self, reranker: Reranker, pool: Calibrated) -> None:
        """The pool is the same."""
        fused = self.fused(pool)
        assert torch.equal(reranker(fused.clone(), pool), reranker(fused.clone(), pool))

    def test_its_bits_do_not_depend_on_the_default_type(self, name: str) -> None:
        """Computation is in float64: a tensor of torch's default type, float32, would change
        scores.
        """

        def compute() -> Tensor:
            pool = self._aligned(random_runs(names=("dense", "graph")))
            reranked: Tensor = self.make(name)(self.fused(pool), pool)
            return reranked

        assert torch.equal(*under_default_types(compute))

    def test_an_empty_pool_is_allowed(self, reranker: Reranker) -> None:
        """The question has no documents."""
        run = Run.from_dict({"q": {}, "r": {"d000": 1.0}}).aligned
        known = random_runs(names=("dense",))["dense"]
        empty = self._aligned({"dense": run(known.query_ids, known.doc_ids)})
        fused = torch.zeros(empty.pool.shape, dtype=torch.float64)
        assert reranker(fused.clone(), empty).shape == fused.shape
