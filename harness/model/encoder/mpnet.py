"""all-mpnet-base-v2, the real weights, from a folder that ``harness doctor install=mpnet``
makes.
"""

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
    """768 dimensions, mean of the tokens, no prompts; reads 384 tokens of a text.

    folder: of the weights.    batch_size, dtype, backend, precision, device: see
    ``SentenceTransformer``.
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
        """The hash of the folder's files; None before there is one."""
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
