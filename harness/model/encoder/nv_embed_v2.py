"""NV-Embed-v2 (4096 dimensions), used as its model card says; needs a GPU with about 16 GB and the
Hub.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from harness.core.configuration import REACHES
from harness.core.identity import NO_RESULT, folder_sha256
from harness.model.encoder.sentence_transformer import SentenceTransformer

if TYPE_CHECKING:
    from harness.model.encoder import Model


@dataclass(frozen=True)
class NvEmbedV2:
    """Questions are read after ``Instruct: <instruction>``, line break, ``Query: ``; passages and
    names alone.

    Every text ends with ``</s>``, the end token.
    revision: pin it to a commit, for the model's code is run.    max_seq_length: up to 32768.
    dtype, batch_size, device: see ``SentenceTransformer``.
    """

    version: ClassVar[int] = 1

    instruction: str = "Given a question, retrieve passages that answer the question"
    model: str = field(default="nvidia/NV-Embed-v2", metadata=REACHES)
    revision: str | None = field(default=None, metadata=REACHES)
    max_seq_length: int = 2048
    batch_size: int = 8
    dtype: str = "float16"
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        self.configured()

    def configured(self) -> SentenceTransformer:
        """The sentence-transformers settings of the model card."""
        return SentenceTransformer(
            self.model,
            revision=self.revision,
            question_prompt=f"Instruct: {self.instruction}\nQuery: ",
            suffix="</s>",
            max_seq_length=self.max_seq_length,
            batch_size=self.batch_size,
            dtype=self.dtype,
            trust_remote_code=True,
            padding_side="right",
            backend="torch",
            device=self.device,
        )

    def content(self) -> str | None:
        """The hash of the files of a model's folder; None when it comes from the Hub."""
        return folder_sha256(self.model)

    def check_reachable(self) -> None:
        """Raise HarnessError where the model cannot be had."""
        self.configured().check_reachable()

    def open(self) -> Model:
        """Load the model from the Hub or its cache."""
        return self.configured().open()
