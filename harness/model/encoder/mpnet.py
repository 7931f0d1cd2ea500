"""all-mpnet-base-v2 with the weights of a folder that ``harness doctor install=mpnet`` makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.configuration.stored_strategy import REACHES
from harness.core.errors import HarnessError
from harness.core.identity import NO_RESULT, folder_sha256
from harness.model.encoder.sentence_transformer import Settings

if TYPE_CHECKING:
    from harness.model.encoder.embedding import Model


@dataclass(frozen=True)
class Mpnet(Settings):
    """MPNet: 768 dimensions, mean of the tokens, no prompts, 384 tokens of a text.

    Its other fields are those of ``SentenceTransformer``.

    Attributes:
        folder: the folder of the weights.
    """

    version = 1

    folder: str = field(metadata=NO_RESULT | REACHES)
    precision: str = field(default="float32", kw_only=True)

    def content(self) -> str | None:
        """Return the hash of the folder's files, or None if there is no folder."""
        return folder_sha256(self.folder)

    def open(self) -> Model:
        """Load the weights."""
        folder = Path(self.folder).expanduser()
        if not folder.is_dir():
            raise HarnessError(
                f"encoder=mpnet: there is no folder {self.folder}; `harness doctor "
                "install=mpnet` makes it (405 MB), or set paths.models=DIR"
            )
        return self.of_model(str(folder)).open()
