"""Small models of random weights, built from a configuration and saved, and texts for them
to read.
"""

import string
from pathlib import Path

import pytest
import torch

from harness.fusion.context import Context, SourceTexts
from harness.fusion.fuser import Calibrated
from harness.fusion.normalizer.pit import Pit
from harness.fusion.pool import Pool
from harness.fusion.temperature.auto import Auto
from harness.run import Run
from harness.work.store import Store

TEXT = (
    "who was the mother of director film born in city where river song king wrote a ship and is it"
)
WORDS = TEXT.split()
PASSAGES = [
    " ".join(WORDS[(7 * n + k * k) % len(WORDS)] for k in range(5 + 9 * n)) + "." for n in range(6)
]
QUESTIONS = ["who was the mother of the director?", "where was the king of the ship born?"]
DOCS = "abcdef"


def tokens(special: list[str]) -> list[str]:
    return [
        *special,
        *WORDS,
        *string.ascii_lowercase,
        *(f"##{letter}" for letter in string.ascii_lowercase),
        "?",
        ".",
        ":",
    ]


@pytest.fixture(scope="session")
def classifier(tmp_path_factory):
    """``classifier(labels)``: the folder of a small BERT that classifies sequences."""
    return lambda labels: small_classifier(tmp_path_factory.mktemp(f"classifier{labels}"), labels)


def small_classifier(folder: Path, labels: int = 1, longest: int = 96) -> str:
    """Write a small BERT that classifies sequences, of random weights, into a folder."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(exist_ok=True)
    (folder / "vocab.txt").write_text(
        "\n".join(tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])) + "\n"
    )
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(labels)
    config = BertConfig(
        vocab_size=100,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=longest,
        num_labels=labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def language_model(tmp_path_factory):
    """The folder of a small Llama and its tokenizer of words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("llama")
    known = {token: number for number, token in enumerate(["<s>", "<unk>", "?", ".", ":", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(known),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.5,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def readable(tmp_path):
    """A pool of two queries over six passages, with texts; its artifacts go below tmp_path."""
    run = Run.from_dict(
        {
            "q0": {doc: 6.0 - n for n, doc in enumerate(DOCS)},
            "q1": {doc: 1.0 + n for n, doc in enumerate("fedc")},
        }
    )
    texts = SourceTexts(QUESTIONS, PASSAGES, Store(tmp_path))
    return Calibrated(Pool.align({"dense": run}, context=Context(texts)), Pit(), Auto())
