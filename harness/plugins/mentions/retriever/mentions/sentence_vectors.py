"""The vectors of sentences, of a whole corpus or of the passages that are needed."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.mentions.pairs import expand_ranges
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.retriever.search.exact import inner_products
from harness.work.store import Store


@dataclass(frozen=True, eq=False)
class SentenceVectors:
    """Vectors of length 1, memory-mapped: of ``every`` sentence, or of the passages that were read.

    Args:
        sentences: the sentences.
        encoder: the encoder.
        store: the store of vectors.
        every: whether all sentences are encoded together.
        arrays: float32[R, d] each, in the order of reading.
        reading: held while sentences are encoded.
    """

    sentences: Sentences
    encoder: Encoder
    store: Store
    every: bool
    arrays: list[Float32Array] = field(default_factory=list)
    reading: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.every:
            self.arrays.append(embed(self.encoder, self.sentences.texts, "passage", self.store))

    @cached_property
    def place(self) -> Int64Array:
        """int64[S, 2], array and row of a sentence, -1 before it is read."""
        return np.full((len(self.sentences.start), 2), -1, dtype=np.int64)

    def read(self, passages: Int64Array) -> None:
        """Encode the sentences of these passages that have no vector; one thread at a time."""
        if self.every:
            return
        with self.reading:
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

    def distinct_products(
        self, questions: Float32Array, sentences: Int64Array, rows: Int64Array
    ) -> Float64Array:
        """Return the same, each different product computed once."""
        size = len(self.sentences.start)
        pairs, back = np.unique(rows * size + sentences, return_inverse=True)
        return self.products(questions, pairs % size, pairs // size)[back]
