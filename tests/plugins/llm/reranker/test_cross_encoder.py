"""Against the model itself, one pair at a time; that a pair is scored once; that its bits are its
own.
"""

import logging

import numpy as np
import pytest
import torch

from harness.core.errors import HarnessError
from harness.core.identity import identity, texts_sha256
from harness.fusion.fuser import Calibrated
from harness.fusion.fuser.single import Single
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.plugins.llm.reranker import text_reranker
from harness.plugins.llm.reranker.cross_encoder import Classifier, CrossEncoder
from harness.run import Run
from harness.testing.lists import under_default_types


@pytest.fixture(scope="module")
def one_label(classifier) -> str:
    return classifier(1)


def directly(model: str, question: str, passage: str, length: int = 64) -> float:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    loaded = AutoModelForSequenceClassification.from_pretrained(model).eval()
    with torch.inference_mode():
        batch = tokenizer(
            question, passage, truncation="only_second", max_length=length, return_tensors="pt"
        )
        logits = loaded(**batch).logits[0].tolist()
    return logits[0] if len(logits) == 1 else logits[1] - logits[0]


def pairs_of(pool: Calibrated) -> list[tuple[str, str]]:
    texts = pool.pool.context.texts
    return [(question, passage) for question in texts.questions for passage in texts.passages]


@pytest.mark.parametrize("labels", [1, 2])
def test_scores_are_the_models_own(labels, classifier, readable) -> None:
    model = classifier(labels)
    pairs = pairs_of(readable)
    found, cut = (
        CrossEncoder(model, max_length=48, batch_size=4).open().score(pairs, lambda done: None)
    )
    assert found == pytest.approx([directly(model, *pair, 48) for pair in pairs], abs=1e-5)
    lengths = [
        len(question.split()) + 1 + len(passage.split()) + 1 + 3 for question, passage in pairs
    ]
    assert cut.tolist() == [length > 48 for length in lengths]
    assert 0 < cut.sum() < len(pairs)


def test_a_pair_has_the_same_bits_alone_and_in_company_and_on_any_number_of_threads(
    one_label, readable, monkeypatch
) -> None:
    pairs = pairs_of(readable)
    model = CrossEncoder(one_label, max_length=64, batch_size=4).open()
    together, _ = model.score(pairs, lambda done: None)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert np.array_equal(model.score(pairs[::-1], lambda done: None)[0][::-1], together)
    for pair, score in zip(pairs, together, strict=True):
        assert model.score([pair], lambda done: None)[0][0] == score


def test_the_top_m_are_ordered_by_the_model_and_the_others_stay(one_label, readable) -> None:
    reranker = CrossEncoder(one_label, max_length=64, m=3)
    fused = reranker(Single()(readable), readable)
    texts = readable.pool.context.texts
    for query, (best, rest) in enumerate((([0, 1, 2], [3, 4, 5]), ([2, 3, 4], [5]))):
        wanted = sorted(
            best, key=lambda doc: -directly(one_label, texts.questions[query], texts.passages[doc])
        )
        docs = readable.pool.docs[query]
        order = torch.sort(fused[query], descending=True, stable=True)
        found = [
            int(docs[column])
            for column, score in zip(order.indices, order.values, strict=True)
            if score > -1e9
        ]
        assert found == [*wanted, *rest] if query == 0 else found[:3] == wanted


def test_blend_weighs_scaled_scores(one_label, readable) -> None:
    """Fused 6, 5, 4 are 1, 0, -1; so are the extremes of the model's scores."""
    texts = readable.pool.context.texts
    raw = np.array(
        [directly(one_label, texts.questions[0], passage) for passage in texts.passages[:3]]
    )
    read = 2 * (raw - raw.min()) / (raw.max() - raw.min()) - 1
    fused = CrossEncoder(one_label, max_length=64, m=3, blend=0.25)(Single()(readable), readable)
    assert fused[0, :3].tolist() == pytest.approx(
        0.75 * np.array([1, 0, -1]) + 0.25 * read, abs=1e-4
    )


def test_bits_do_not_depend_on_the_default_type(one_label, readable) -> None:
    """The scores of pairs are float32 weights' and kept; what is made of them is float64."""
    reranker = CrossEncoder(one_label, max_length=64, m=3, blend=0.3)
    assert torch.equal(*under_default_types(lambda: reranker(Single()(readable), readable)))


def test_no_pair_is_scored_twice(one_label, readable, monkeypatch) -> None:
    asked: list[tuple[str, str]] = []
    score = Classifier.score
    monkeypatch.setattr(
        Classifier,
        "score",
        lambda self, pairs, advance: asked.extend(pairs) or score(self, pairs, advance),
    )
    first = CrossEncoder(one_label, max_length=64, m=3)(Single()(readable), readable)
    assert len(asked) == 6
    CrossEncoder(one_label, max_length=64, m=4, blend=0.5)(Single()(readable), readable)
    assert len(asked) == 8
    text_reranker._verdicts.cache_clear()  # as another process sees it
    assert torch.equal(
        CrossEncoder(one_label, max_length=64, m=3)(Single()(readable), readable), first
    )
    assert len(asked) == 8
    CrossEncoder(one_label, max_length=48, m=3)(Single()(readable), readable)
    assert len(asked) == 14  # another length, other scores


@pytest.mark.parametrize(
    "at", [lambda data: len(data) // 2, lambda data: data.index(b"PK\x01\x02") + 10]
)
def test_a_damaged_shard_is_named_and_counted_again(
    one_label, readable, caplog, tmp_path, at
) -> None:
    """A bit of a score, and one of the archive's directory: a method of compression that there is
    not.
    """
    reranker = CrossEncoder(one_label, max_length=64, m=3)
    first = reranker(Single()(readable), readable)
    (shard,) = tmp_path.glob("artifacts/judge/*/*.npz")
    assert (shard.parent / "manifest.json").is_file()
    data = bytearray(shard.read_bytes())
    data[at(data)] ^= 3
    shard.write_bytes(data)
    text_reranker._verdicts.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert torch.equal(reranker(Single()(readable), readable), first)
    assert f"{shard} is damaged" in caplog.text


def test_the_key_of_a_pair_is_model_question_and_passage(one_label, classifier) -> None:
    other = classifier(2)
    keys = [
        identity(CrossEncoder(model, m=m, blend=b).judge())
        for model, m, b in ((one_label, 3, 1.0), (one_label, 5, 0.5), (other, 3, 1.0))
    ]
    assert keys[0] == keys[1] != keys[2]
    assert texts_sha256(["ab", "c"]) != texts_sha256(["a", "bc"])


def test_what_it_cannot_do_is_said(classifier, readable, tmp_path) -> None:
    with pytest.raises(HarnessError, match=r"has 3 labels"):
        CrossEncoder(classifier(3)).open()
    (tmp_path / "empty").mkdir()
    with pytest.raises(HarnessError, match=r"reranker\.model=.*empty:"):
        CrossEncoder(str(tmp_path / "empty")).open()
    bare = Calibrated(Pool.align({"dense": Run.from_dict({"q": {"a": 1.0}})}), Pit(), Auto())
    with pytest.raises(HarnessError, match="reranker=cross_encoder"):
        CrossEncoder()(Single()(bare), bare)


def test_a_question_that_leaves_no_room_for_a_passage_is_said(one_label) -> None:
    """Of 11 words and two or three marks of 12 tokens nothing is left."""
    pairs = [("who", "a passage"), (" ".join(["who"] * 11), "a passage")]
    with pytest.raises(HarnessError, match=r"reranker\.max_length=12:.*12"):
        CrossEncoder(one_label, max_length=12).open().score(pairs, lambda done: None)
