"""The vectors of sentences, of a whole corpus or of the passages that are needed."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.mentions.pairs import expand_ranges
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.retriever.search import inner_products
from harness.work.store import Store


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """Vectors of length 1, memory-mapped; ``read`` encodes those of more passages.

    Args:
        sentences: the sentences.
        encoder: the encoder.
        store: the store of vectors.
        arrays: float32[R, d] each, in the order of reading.
        place: int64[S, 2], array and row of a sentence, -1 before it is read; empty if one array
            has all.
        reading: held while sentences are encoded.
    """

    sentences: Sentences
    encoder: Encoder
    store: Store
    arrays: list[Float32Array] = field(default_factory=list)
    place: Int64Array = field(default_factory=lambda: np.empty((0, 2), np.int64))
    reading: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def of(
        cls, sentences: Sentences, encoder: Encoder, store: Store, every: bool
    ) -> SentenceVectors:
        """Return the vectors of all sentences, or of none yet."""
        if not every:
            return cls(
                sentences,
                encoder,
                store,
                place=np.full((len(sentences.start), 2), -1, dtype=np.int64),
            )
        return cls(
            sentences,
            encoder,
            store,
            [embed(encoder, sentences.texts, "passage", store)],
        )

    @property
    def every(self) -> bool:
        """Whether all sentences were encoded together."""
        return not len(self.place)

    @property
    def count(self) -> int:
        """The number of sentences with a vector."""
        return sum(map(len, self.arrays))

    def read(self, passages: Int64Array) -> None:
        """Encode the sentences of these passages that have no vector; one thread at a time."""
        if not self.every:
            with self.reading:
                self._read(passages)

    def _read(self, passages: Int64Array) -> None:
        wanted, first = np.unique(passages), self.sentences.first
        new = expand_ranges(first[wanted], first[wanted + 1] - first[wanted])
        new = new[self.place[new, 0] < 0]
        if not new.size:
            return
        self.place[new, 0], self.place[new, 1] = len(self.arrays), np.arange(len(new))
        vectors = embed(self.encoder, self.sentences.texts.take(new), "passage", self.store)
        file: Any = vectors.base
        if hasattr(mmap, "MADV_RANDOM"):  # rows are read in random order, without read-ahead
            file._mmap.madvise(mmap.MADV_RANDOM)
        self.arrays.append(vectors)

    def products(
        self, questions: Float32Array, sentences: Int64Array, rows: Int64Array
    ) -> Float64Array:
        """Return float64[n], the inner products of ``sentences[i]`` and ``questions[rows[i]]``."""
        if self.every:
            return inner_products(self.arrays[0], questions, sentences, rows)
        values, place = np.empty(len(sentences)), self.place[sentences]
        for number, vectors in enumerate(self.arrays):
            mine = np.flatnonzero(place[:, 0] == number)
            values[mine] = inner_products(vectors, questions, place[mine, 1], rows[mine])
        return values
