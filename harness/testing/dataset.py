"""Conformance tests of datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.benchmark import UNORDERED, Benchmark
from harness.core.configuration.composition import compose
from harness.core.configuration.instantiation import instantiate
from harness.testing.conformance import Conformance
from harness.work.store import Store


class DatasetConformance(Conformance):
    """Tests of ``names``, configurations of ``conf/dataset``; ``overrides`` may set their paths."""

    concept: ClassVar[str] = "dataset"

    def make(self, name: str) -> Any:
        """Return the dataset, as ``harness.load`` makes it."""
        return instantiate(compose("benchmark", [f"dataset={name}", *self.overrides]).dataset)

    def test_it_brings_a_whole_benchmark(self, name: str, tmp_path: Path) -> None:
        """Ids ascend and are unique; gold are passage numbers in hop order, then -1; questions are
        not empty.
        """
        benchmark: Benchmark = self.make(name).load(Store(tmp_path))
        documents, queries = benchmark.doc_ids.to_pylist(), benchmark.query_ids.to_pylist()
        assert documents == sorted(set(documents))
        assert len(set(queries)) == len(queries) > 0
        assert benchmark.gold.dtype == np.int32
        assert benchmark.gold.shape[0] == len(benchmark.chain) == len(queries)
        assert ((benchmark.gold >= UNORDERED) & (benchmark.gold < len(documents))).all()
        held = benchmark.gold >= 0
        assert held[:, 0].all()
        assert (held[:, :-1] >= held[:, 1:]).all()
        assert all(question.strip() for question in benchmark.questions)
        assert len(benchmark.passages) == len(documents)

    def test_its_hash_names_its_content(self, name: str, tmp_path: Path) -> None:
        """The hash has 64 hexadecimal digits and is the same if the dataset is loaded again
        elsewhere.
        """
        first, second = (
            self.make(name).load(Store(tmp_path / place)).sha256 for place in ("one", "two")
        )
        assert first == second
        assert len(bytes.fromhex(first)) == 32
