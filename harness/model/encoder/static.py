"""One vector for each token, summed for a text. Without layers it encodes tens of thousands of
texts a second on a CPU.

The vectors are made in a second, without a network, from the token embeddings of all-MiniLM-L6-v2.
Their plain sum retrieves badly, because frequent words and the few directions that all tokens share
dominate. Therefore they are whitened (as Su et al., arXiv:2103.15316, do with sentences) and
weighted by frequency, which follows from the order of the vocabulary (as in Model2Vec, by Zipf's
law). The exponents were chosen on the tune halves of three benchmarks.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Float32Array
from harness.core.artifact import Facts
from harness.core.threads import available, map_threads
from harness.model.encoder.minilm import weights_folder

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from harness.model.encoder.embedding import Role

BEFORE = 1995
"""Number of tokens before the most frequent word of the vocabulary: marks, unused places and single
characters.
"""
UNKNOWN = 100
"""The token of a text without tokens."""
REMEMBERED = 1 << 19
"""Number of words whose tokens are kept."""
AT_ONCE = 256
"""Number of words that the tokenizer gets as one text, because a call costs more than a word."""
SLICE = 512
"""Number of texts that a thread takes at once."""


@dataclass(frozen=True)
class Static:
    """v(text) = sum over its tokens t of log^2(1 + r_t) L^T (e_t - m); 384 dimensions, no text is
    cut.

    e_t is MiniLM's embedding of token t, m their mean, C their covariance, and L L^T = C^-1
    (Cholesky), so v is white. r_t is the token's place in the vocabulary, which is sorted by
    frequency. The most frequent word and everything before it have 1. A text without tokens has the
    vector of [UNK]. Words are split at white space, then as MiniLM splits them.
    """

    version = 1

    def open(self) -> WordSums:
        """Make the vectors from the weights of MiniLM's package."""
        return WordSums(weights_folder("static"))


class WordSums:
    """The opened model."""

    def __init__(self, folder: Path) -> None:
        from safetensors import safe_open
        from tokenizers import Tokenizer

        with safe_open(folder / "model.safetensors", "numpy") as weights:
            self.vectors = _whitened(weights.get_tensor("embeddings.word_embeddings.weight"))
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.tokens: dict[str, Sequence[int]] = {}
        self.dimension = int(self.vectors.shape[1])
        self.facts: Facts = {"device": "cpu", "backend": "numpy"}

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Encode texts. The role has no effect, and no text is cut. See
        ``harness.model.encoder.Model``.
        """
        result = np.empty((len(texts), self.dimension), dtype=np.float32)
        slices = [slice(start, start + SLICE) for start in range(0, len(texts), SLICE)]
        sums = map_threads(
            lambda part: self._sums(texts[part]), slices, min(available(), len(slices) or 1)
        )
        for part, vectors in zip(slices, sums, strict=True):
            result[part] = vectors
            advance(len(vectors))
        return result, np.zeros(len(texts), dtype=np.bool_)

    def _sums(self, texts: Sequence[str]) -> Float32Array:
        """Return the vectors of texts. Each distinct word is split into tokens once; a text is
        summed in the order of its words.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        spaced = pc.replace_substring_regex(
            pc.utf8_lower(pa.array(texts, pa.large_string())), r"([[:punct:]])", r" \1 "
        )
        words = pc.ascii_split_whitespace(spaced)
        distinct = words.values.dictionary_encode()
        rows = self._tokens(distinct.dictionary.to_pylist())
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        tokens = np.fromiter(
            itertools.chain.from_iterable(rows), dtype=np.int64, count=int(lengths.sum())
        )
        of_words = _counts(tokens, np.concatenate([[0], np.cumsum(lengths)]), len(self.vectors))
        of_texts = _counts(distinct.indices.to_numpy(), words.offsets.to_numpy(), len(rows))
        bags = of_texts @ of_words
        sums: Float32Array = bags @ self.vectors
        sums[np.diff(bags.indptr) == 0] = self.vectors[UNKNOWN]
        return sums

    def _tokens(self, words: Sequence[str]) -> list[Sequence[int]]:
        """Return the tokens of each word, possibly none."""
        known = self.tokens if len(self.tokens) < REMEMBERED else {}
        new = [word for word in words if word not in known]
        batches = [new[start : start + AT_ONCE] for start in range(0, len(new), AT_ONCE)]
        split = self.tokenizer.encode_batch(batches, is_pretokenized=True, add_special_tokens=False)
        for batch, encoding in zip(batches, split, strict=True):
            rows: list[list[int]] = [[] for _ in batch]
            for place, token in zip(encoding.word_ids, encoding.ids, strict=True):
                rows[place or 0].append(token)
            known.update(zip(batch, rows, strict=True))
        self.tokens = known
        return [known[word] for word in words]


def _counts(numbers: NDArray[np.integer], bounds: NDArray[np.integer], width: int) -> csr_array:
    """Return float32[rows, width], how often each number occurs between two bounds."""
    from scipy.sparse import csr_array

    return csr_array(
        (np.ones(len(numbers), np.float32), numbers, bounds), shape=(len(bounds) - 1, width)
    )


def _whitened(embeddings: Float32Array) -> Float32Array:
    """Return float32[tokens, d], the vectors to sum. One thread computes them, so their bits are
    the same everywhere.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        centred = embeddings - embeddings.mean(axis=0, dtype=np.float64)
        white = centred @ np.linalg.cholesky(np.linalg.inv(centred.T @ centred / len(centred)))
    places = np.maximum(np.arange(len(white)) - BEFORE, 1)
    vectors: Float32Array = (np.log1p(places)[:, None] ** 2 * white).astype(np.float32)
    return vectors
