"""WordLlama: a vector a token, their mean a text; no network of layers, so thousands of texts a second.

The vectors (256 numbers each for the 32,000 tokens of Llama 2, trained from its token embeddings) come with the package
``wordllama``; nothing else of it is used. The package is MIT; on the vectors Meta's licence of Llama 2 may bear.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from harness.model.encoder import Role

WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
UNKNOWN = 0
"""The token of a text without tokens."""


@dataclass(frozen=True)
class WordLlama:
    """v(text) = mean of the vectors of its tokens, brought to length 1 as every encoder's; no text is cut."""

    def open(self) -> TokenMeans:
        """Load the package's two files."""
        found = importlib.util.find_spec("wordllama")
        places = list(found.submodule_search_locations or ()) if found else []
        if not places or not (Path(places[0]) / WEIGHTS).is_file():
            raise HarnessError("encoder=wordllama needs its weights: pip install --no-deps wordllama")
        return TokenMeans(Path(places[0]))


class TokenMeans:
    """The opened model."""

    alone = True

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.vectors = load_file(folder / WEIGHTS)["embedding.weight"].astype(np.float32)
        self.tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self.dimension = int(self.vectors.shape[1])
        self.facts: Mapping[str, Any] = {"device": "cpu", "backend": "numpy"}

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """See ``harness.model.encoder.Model``; the role changes nothing and no text is cut."""
        from scipy.sparse import csr_array

        rows = [
            encoded.ids or [UNKNOWN] for encoded in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        tokens = np.fromiter((token for row in rows for token in row), dtype=np.int32, count=int(lengths.sum()))
        weights = np.repeat(1 / lengths, lengths).astype(np.float32)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        means: NDArray[np.float32] = (
            csr_array((weights, tokens, indptr), shape=(len(texts), len(self.vectors))) @ self.vectors
        )
        advance(len(texts))
        return means, np.zeros(len(texts), dtype=np.bool_)
