"""Encoders of the baselines: what their cards ask for, up to the download."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.core.configuration.conf_files import strategy
from harness.core.errors import HarnessError

PROMPT = "Instruct: Given a question, retrieve passages that answer the question\nQuery: "


@pytest.mark.parametrize(
    ("name", "model", "question"),
    [
        ("contriever", "facebook/contriever", ""),
        ("gtr_t5_base", "sentence-transformers/gtr-t5-base", ""),
        ("gte_qwen2", "Alibaba-NLP/gte-Qwen2-7B-instruct", PROMPT),
    ],
)
def test_models_and_prompts_of_the_cards(name: str, model: str, question: str) -> None:
    encoder = strategy("encoder", name)
    assert (encoder.model, encoder.question_prompt) == (model, question)
    assert encoder.passage_prompt == encoder.name_prompt == ""
    assert encoder.trust_remote_code == (name == "gte_qwen2")


@pytest.mark.parametrize("name", ["gtr_t5_base", "contriever"])
def test_a_folder_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(HarnessError, match=r"^encoder\.model=/nowhere:"):
        strategy("encoder", name, model="/nowhere", device="cpu").open()


def test_gritlm_gets_its_instruction_from_the_role(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gritlm", None)
    with pytest.raises(HarnessError, match="pip install gritlm"):
        strategy("encoder", "gritlm").open()
    asked: list[Any] = []

    class Fake:
        def __init__(self, model: str, **options: Any) -> None:
            asked.append((model, options["mode"]))
            self.tokenizer = lambda texts: {"input_ids": [text.split() for text in texts]}

        def encode(self, texts: Any, **options: Any) -> Any:
            asked.append((options["instruction"], options["max_length"]))
            return np.ones((len(texts), 4096))

    monkeypatch.setitem(sys.modules, "gritlm", SimpleNamespace(GritLM=Fake))
    model = strategy(
        "encoder", "gritlm", device="cpu", max_seq_length=3, instruction="Find it"
    ).open()
    _, cut = model.encode(["a b c d", "a"], "passage", lambda done: None)
    model.encode(["a"], "question", lambda done: None)
    assert asked == [
        ("GritLM/GritLM-7B", "embedding"),
        ("<|embed|>\n", 3),
        ("<|user|>\nFind it\n<|embed|>\n", 3),
    ]
    assert cut.tolist() == [True, False]
