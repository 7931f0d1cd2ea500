"""NV-Embed-v2 (4096 dimensions), used as its model card says. It needs the Hub and a GPU with about
16 GB.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.core.configuration.stored_strategy import REACHES
from harness.core.identity import NO_RESULT, folder_sha256
from harness.model.encoder.sentence_transformer import SentenceTransformer

if TYPE_CHECKING:
    from harness.model.encoder.embedding import Model


@dataclass(frozen=True)
class NvEmbedV2:
    """NV-Embed-v2. Questions begin with ``Instruct: <instruction>``, a line break and ``Query: ``.

    Passages and names have no prompt. Every text ends with ``</s>``, the end token. The fields
    ``dtype, batch_size, device`` are those of ``SentenceTransformer``.

    Attributes:
        instruction: the instruction before each question.
        model: the id on the Hub, or a folder.
        revision: a commit; pin it, because the model's code is run.
        max_seq_length: number of tokens read of a text, up to 32768.
    """

    version = 1

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
        """Return the sentence-transformers settings of the model card."""
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
        """Return the hash of the files of a model's folder, or None for a model on the Hub."""
        return folder_sha256(self.model)

    def check_reachable(self) -> None:
        """Raise HarnessError if the model cannot be loaded."""
        self.configured().check_reachable()

    def open(self) -> Model:
        """Load the model from the Hub or its cache."""
        return self.configured().open()
