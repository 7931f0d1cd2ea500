"""all-mpnet-base-v2 with the weights of a folder that ``harness doctor install=mpnet`` makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from harness.core.configuration import REACHES
from harness.core.errors import HarnessError
from harness.core.identity import LATER, NO_RESULT, folder_sha256
from harness.model.encoder.sentence_transformer import SentenceTransformer

if TYPE_CHECKING:
    from harness.model.encoder import Model


@dataclass(frozen=True)
class Mpnet:
    """MPNet: 768 dimensions, mean of the tokens, no prompts, 384 tokens of a text.

    The fields ``batch_size, dtype, backend, precision, device`` are those of
    ``SentenceTransformer``.

    Attributes:
        folder: the folder of the weights.
    """

    version: ClassVar[int] = 1

    folder: str = field(metadata=NO_RESULT | REACHES)
    batch_size: int = 32
    dtype: str = field(default="float32", metadata=LATER)
    backend: str = "auto"
    precision: str = "float32"
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        self._configured()

    def content(self) -> str | None:
        """Return the hash of the folder's files, or None if there is no folder."""
        return folder_sha256(self.folder)

    def open(self) -> Model:
        """Load the weights."""
        if not Path(self.folder).expanduser().is_dir():
            raise HarnessError(
                f"encoder=mpnet: there is no folder {self.folder}; `harness doctor "
                "install=mpnet` makes it (405 MB), "
                "or set paths.models=DIR"
            )
        return self._configured().open()

    def _configured(self) -> SentenceTransformer:
        return SentenceTransformer(
            str(Path(self.folder).expanduser()),
            batch_size=self.batch_size,
            dtype=self.dtype,
            backend=self.backend,
            precision=self.precision,
            device=self.device,
        )
