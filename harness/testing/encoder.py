"""Conformance tests of encoders."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from harness.model.encoder import ROLES, Encoder, embed
from harness.testing.conformance import Conformance
from harness.work.store import Store

TEXTS = [
    "Where was the director born?",
    "A city with a river.",
    "",
    "A city with a river.",
    "word " * 2000,
]


class EncoderConformance(Conformance):
    """Tests of ``names``, configurations of ``conf/encoder``; their models are opened."""

    concept: ClassVar[str] = "encoder"

    @pytest.fixture
    def encoder(self, name: str) -> Encoder:
        """Return the tested strategy."""
        encoder: Encoder = self.make(name)
        return encoder

    def test_a_model_gives_a_finite_vector_of_its_dimension_a_text(self, encoder: Encoder) -> None:
        """The result is float32[n, d], never of length 0, and bool[n], which texts
        were shortened.
        """
        model = encoder.open()
        done: list[int] = []
        vectors, cut = model.encode(TEXTS, "passage", done.append)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), model.dimension)
        assert np.isfinite(vectors).all()
        assert (np.linalg.norm(vectors, axis=1) > 0).all()
        assert cut.shape == (len(TEXTS),)
        assert cut.dtype == np.bool_
        assert sum(done) == len(TEXTS)
        assert isinstance(dict(model.facts), dict)

    def test_the_same_texts_have_the_same_bits(self, encoder: Encoder) -> None:
        """A second call gives the same bits."""
        model = encoder.open()
        for role in ROLES:
            first, _ = model.encode(TEXTS, role, lambda count: None)  # type: ignore[arg-type]
            again, _ = model.encode(TEXTS, role, lambda count: None)  # type: ignore[arg-type]
            assert first.tobytes() == again.tobytes()

    def test_embedded_texts_have_length_one_and_equal_texts_equal_bits(
        self, encoder: Encoder, tmp_path: Path
    ) -> None:
        """Vectors are read from the artifact that retrievers read."""
        vectors = embed(encoder, TEXTS, "question", Store(tmp_path))
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
        assert vectors[1].tobytes() == vectors[3].tobytes()
