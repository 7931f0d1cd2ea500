"""DPR (Karpukhin et al. 2020): one encoder for passages, another for questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import ClassVar

from harness.core.arrays import BoolArray, Float32Array
from harness.core.configuration import REACHES
from harness.core.identity import files_sha256
from harness.model.encoder import Model, Role
from harness.model.encoder.sentence_transformer import SentenceTransformer


@dataclass(frozen=True)
class Dpr(SentenceTransformer):
    """Two models: ``model`` for passages, as title ``[SEP]`` text, ``question_model`` for questions
    and names.

    DPR ranks by the inner product; here vectors have length 1, as those of every encoder. For the
    other fields see ``SentenceTransformer``.
    """

    version: ClassVar[int] = 1

    question_model: str = field(
        default="sentence-transformers/facebook-dpr-question_encoder-single-nq-base",
        metadata=REACHES,
    )

    def content(self) -> str:
        """Return the hash of both folders' files; models of the Hub have none."""
        folders = [Path(name) for name in (self.model, self.question_model)]
        return files_sha256(*(folder for folder in folders if folder.is_dir()))

    def open(self) -> Model:
        """Load both models."""
        plain = {one.name: getattr(self, one.name) for one in fields(SentenceTransformer)}
        passages = SentenceTransformer(**plain)
        return Towers(passages.open(), replace(passages, model=self.question_model).open())


class Towers:
    """Two loaded models. See ``harness.model.encoder.Model``."""

    def __init__(self, passages: Model, questions: Model) -> None:
        self.passages, self.questions = passages, questions
        self.dimension: int = passages.dimension
        self.facts: Mapping[str, object] = passages.facts

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Return the vectors. A passage's first line break, the end of its title, becomes
        ``[SEP]``.
        """
        if role != "passage":
            return self.questions.encode(texts, role, advance)
        return self.passages.encode(
            [text.replace("\n", " [SEP] ", 1) for text in texts], role, advance
        )
