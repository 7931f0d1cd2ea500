"""Conformance classes: tests that every strategy of a concept must pass; subclass one to run them.

    from harness.testing import FuserConformance

    class TestGreatest(FuserConformance): names = ("greatest",)

The tests of this package's own strategies are the same classes. They need pytest and hypothesis
(extra ``testing``).
"""

from __future__ import annotations

import pytest

CONCEPTS = ("dataset", "encoder", "fuser", "normalizer", "reranker", "retriever", "temperature")
pytest.register_assert_rewrite(*(f"harness.testing.{name}" for name in ("conformance", *CONCEPTS)))

from harness.testing.conformance import Conformance, PureConformance  # noqa: E402
from harness.testing.dataset import DatasetConformance  # noqa: E402
from harness.testing.encoder import EncoderConformance  # noqa: E402
from harness.testing.fuser import FuserConformance  # noqa: E402
from harness.testing.normalizer import NormalizerConformance  # noqa: E402
from harness.testing.reranker import RerankerConformance  # noqa: E402
from harness.testing.retriever import RetrieverConformance  # noqa: E402
from harness.testing.temperature import TemperatureConformance  # noqa: E402

__all__ = [
    "Conformance",
    "DatasetConformance",
    "EncoderConformance",
    "FuserConformance",
    "NormalizerConformance",
    "PureConformance",
    "RerankerConformance",
    "RetrieverConformance",
    "TemperatureConformance",
]
