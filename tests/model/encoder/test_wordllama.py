"""WordLlama's vectors against the package's own inference, and without the package."""

import importlib.util
import logging

import pytest

from harness.core.artifacts import Store
from harness.core.errors import HarnessError
from harness.model.encoder import embed
from harness.model.encoder.wordllama import WordLlama
from harness.testing import EncoderConformance

THERE = importlib.util.find_spec("wordllama") is not None
needs = pytest.mark.skipif(not THERE, reason="wordllama is not installed")
TEXTS = ["The river flows past an old town.", "A stream runs by an ancient city", "Two plus two.", "é 東京 x" * 40]


@needs
class TestWordLlama(EncoderConformance):
    names = ("wordllama",)


@needs
def test_it_is_the_package_s_own_mean(tmp_path):
    level = logging.getLogger().level
    inference = pytest.importorskip("wordllama.inference")
    logging.getLogger().setLevel(level)
    model = WordLlama().open()
    own = inference.WordLlamaInference(model.vectors, model.tokenizer).embed(TEXTS, norm=True)
    model.tokenizer.no_padding()
    ours = embed(WordLlama(), TEXTS, "passage", Store(tmp_path))
    assert ours.shape == (4, 256)
    assert (ours * own).sum(axis=1).min() > 0.999999
    assert ours[0] @ ours[1] > ours[0] @ ours[2]


def test_a_package_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(HarnessError, match="pip install --no-deps wordllama"):
        WordLlama().open()
