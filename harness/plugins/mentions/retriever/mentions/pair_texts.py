"""Vectors and words of questions, passages and sentences, and the evidence of their pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.plugins.mentions.retriever.mentions.pairs import Pairs, expand_ranges
from harness.plugins.mentions.retriever.mentions.question_words import QuestionWords
from harness.plugins.mentions.retriever.mentions.sentence_vectors import SentenceVectors
from harness.retriever.search import inner_products


@dataclass(frozen=True, eq=False)
class PairTexts:
    """Vectors of length 1 of D passages, their sentences, and q questions, as asked and with masked
    titles.

    A pair is n D + p, with n the question's place in the block.

    Args:
        passages: float32[D, d].
        sentences: their vectors.
        first: int64[D + 1], a passage's sentences.
        questions: float32[q, d].
        relations: float32[q, d], with ``it`` for titles.
        asked: the questions' words.
        weight: float64[q, W].
        held: uint64[q, D].
        named: pairs whose title the question names, ascending.
    """

    passages: Float32Array
    sentences: SentenceVectors
    first: Int64Array
    questions: Float32Array
    relations: Float32Array
    asked: QuestionWords
    weight: Float64Array
    held: NDArray[np.uint64]
    named: Pairs

    @property
    def size(self) -> int:
        """The number of passages, D."""
        return len(self.passages)

    def evidence(self, pairs: Pairs) -> Float64Array:
        """Return float64[n, 6], a row per pair, in the order of the fields of
        ``evidence.Weights``.
        """
        rows, docs, ends, within = self._every_sentence(pairs)
        counts = np.diff(ends, prepend=0)
        owner = np.repeat(rows, counts)
        columns = [
            inner_products(self.passages, vectors, docs, rows)
            for vectors in (self.questions, self.relations)
        ]
        for vectors in (self.questions, self.relations):
            every = self.sentences.products(vectors, within, owner)
            columns.append(np.maximum.reduceat(every, ends - counts) if len(pairs) else every)
        columns.append(self.asked.share(self.weight[rows], self.held[rows, docs]))
        columns.append(np.isin(pairs, self.named).astype(np.float64))
        return np.stack(columns, axis=1)

    def best_sentence(self, pairs: Pairs) -> Int64Array:
        """Return int64[n], the passage's sentence of greatest cosine to the question, the first of
        equal ones.
        """
        rows, _, ends, within = self._every_sentence(pairs)
        every = self.sentences.products(
            self.questions, within, np.repeat(rows, np.diff(ends, prepend=0))
        )
        order = np.lexsort(
            (within, -every, np.repeat(np.arange(len(pairs)), np.diff(ends, prepend=0)))
        )
        return within[order[ends - np.diff(ends, prepend=0)]]

    def _every_sentence(self, pairs: Pairs) -> tuple[Int64Array, ...]:
        """Return questions and passages of the pairs, the ends of each pair's sentences, and all
        sentences.
        """
        rows, docs = np.divmod(pairs, self.size)
        counts = self.first[docs + 1] - self.first[docs]
        return rows, docs, np.cumsum(counts), expand_ranges(self.first[docs], counts)

    def between(self, parents: Pairs, ends: Pairs, sentence: Int64Array) -> Float64Array:
        """Return float64[n, 6], a row per edge, in the order of ``evidence.Edge``; rarity and
        bridged are 0.
        """
        rows = parents // self.size
        count = int(self.first[-1])
        asked, place = np.unique(rows * count + sentence, return_inverse=True)
        who, what = np.divmod(asked, count)
        joined = [
            self.sentences.products(vectors, what, who)[place]
            for vectors in (self.relations, self.questions)
        ]
        new = self.held[rows, ends % self.size] & ~self.held[rows, parents % self.size]
        words = self.asked.share(self.weight[rows], new)
        return np.stack(
            [np.ones(len(rows)), *joined, np.zeros(len(rows)), words, np.zeros(len(rows))], axis=1
        )
