"""A hashed bag of words without a model. It measures how the harness scales; its rankings are not
worth reporting.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness.core.arrays import BoolArray, Float32Array
from harness.core.artifact import Facts
from harness.core.errors import whole_number

if TYPE_CHECKING:
    from harness.model.encoder.embedding import Role

WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Hashed:
    """v(text) = sum over its words w of sqrt(count of w) r(w), r(w) in {-1, 1}^d the bits of
    SHAKE-128(w).

    This is a random projection of word counts: cosines approximate those of the counts.

    Attributes:
        dimension: d.
    """

    version = 1

    dimension: int = 384

    def __post_init__(self) -> None:
        whole_number("encoder.dimension", self.dimension, 1)

    def open(self) -> HashedWords:
        """Return the projection. Nothing is loaded."""
        return HashedWords(self.dimension)


class HashedWords:
    """The projection of texts. Every text also counts one empty word, so that no vector has length
    0.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.facts: Facts = {"device": "cpu", "backend": "numpy"}

    def encode(
        self, texts: Sequence[str], role: Role, advance: Callable[[int], object]
    ) -> tuple[Float32Array, BoolArray]:
        """Encode texts. The role has no effect, and no text is cut. See
        ``harness.model.encoder.Model``.
        """
        from scipy.sparse import csr_array

        numbers: dict[str, int] = {"": 0}
        rows = []
        for text in texts:
            tokens = WORD.findall(text.lower())
            rows.append([0, *(numbers.setdefault(word, len(numbers)) for word in tokens)])
        lengths = np.array([len(row) for row in rows])
        words = np.fromiter(itertools.chain.from_iterable(rows), np.int64, int(lengths.sum()))
        keys, counts = np.unique(
            np.repeat(np.arange(len(texts)), lengths) * len(numbers) + words, return_counts=True
        )
        weights = np.sqrt(counts.astype(np.float32))
        bags = csr_array(
            (weights, (keys // len(numbers), keys % len(numbers))),
            shape=(len(texts), len(numbers)),
            dtype=np.float32,
        )
        vectors: Float32Array = bags @ self._directions(numbers)
        advance(len(texts))
        return vectors, np.zeros(len(texts), dtype=np.bool_)

    def _directions(self, words: Mapping[str, int]) -> Float32Array:
        size = -(-self.dimension // 8)
        bits = b"".join(hashlib.shake_128(word.encode()).digest(size) for word in words)
        signs = np.unpackbits(np.frombuffer(bits, dtype=np.uint8).reshape(len(words), size), axis=1)
        return 2 * signs[:, : self.dimension].astype(np.float32) - 1
