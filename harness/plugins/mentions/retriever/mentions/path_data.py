"""The data of paths over mentions, and the evidence of pairs of a question and a passage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import Float32Array, Float64Array, Int64Array
from harness.plugins.mentions.retriever.mentions.links import Crossing
from harness.plugins.mentions.retriever.mentions.pairs import Pairs, Values, expand_ranges
from harness.plugins.mentions.retriever.mentions.question_words import QuestionWords, sum_shares
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.plugins.mentions.retriever.mentions.sentence_vectors import SentenceVectors
from harness.retriever.search.exact import inner_products, nearest_rows


@dataclass(frozen=True, eq=False)
class PathData:
    """All texts of a benchmark as vectors of length 1, and the edges between its passages by kind.

    ``relations`` are the questions with ``it`` for titles, ``named`` questions and the passages
    whose title they name, and ``near`` is the number of nearest passages of a question.
    """

    sentences: Sentences
    passages: Float32Array
    parts: SentenceVectors
    questions: Float32Array
    relations: Float32Array
    asked: QuestionWords
    named: tuple[Int64Array, Int64Array]
    joined: Mapping[str, Crossing]
    near: int

    @cached_property
    def nearest(self) -> Int64Array:
        """int64[Q, near], the passages nearest to each question, found in one pass over all
        vectors.
        """
        return nearest_rows(self.passages, self.questions, self.near)[0]


@dataclass(frozen=True, eq=False)
class PairTexts:
    """The texts of a block of q questions, ascending numbers ``queries``, and of all D passages.

    A pair is n D + p, with n the question's place in the block.
    """

    data: PathData
    queries: Int64Array

    @property
    def size(self) -> int:
        """The number of passages, D."""
        return len(self.data.passages)

    @cached_property
    def held(self) -> NDArray[np.uint64]:
        """uint64[q, D] (see ``QuestionWords.held``)."""
        return self.data.asked.held(self.queries)

    @cached_property
    def named(self) -> Pairs:
        """The pairs whose title the question names, ascending."""
        rows, docs = self.data.named
        asking = np.isin(rows, self.queries)
        places: Pairs = np.searchsorted(self.queries, rows[asking])
        return places * self.size + docs[asking]

    def evidence(self, pairs: Pairs) -> Float64Array:
        """Return float64[n, 6], a row per pair, in the order of the fields of
        ``evidence.Weights``.
        """
        data, (rows, docs) = self.data, np.divmod(pairs, self.size)
        wholes, parts = [], []
        for vectors in (data.questions, data.relations):
            wholes.append(inner_products(data.passages, vectors, docs, self.queries[rows]))
            _, every, counts = self._sentences(vectors, pairs)
            parts.append(np.maximum.reduceat(every, np.cumsum(counts) - counts))
        words = sum_shares(data.asked.weight[self.queries[rows]], self.held[rows, docs])
        return np.stack([*wholes, *parts, words, np.isin(pairs, self.named)], axis=1)

    def best_sentence(self, pairs: Pairs) -> Int64Array:
        """Return int64[n], the passage's sentence of greatest cosine to the question, the first of
        equal ones.
        """
        within, every, counts = self._sentences(self.data.questions, pairs)
        order = np.lexsort((within, -every, np.repeat(np.arange(len(pairs)), counts)))
        first: Int64Array = order[np.cumsum(counts) - counts]
        return within[first]

    def _sentences(
        self, vectors: Float32Array, pairs: Pairs
    ) -> tuple[Int64Array, Values, Int64Array]:
        """Return all sentences of the pairs, their inner products with the questions, and the
        number of each pair.
        """
        rows, docs = np.divmod(pairs, self.size)
        first = self.data.sentences.first
        counts = first[docs + 1] - first[docs]
        within = expand_ranges(first[docs], counts)
        asked = np.repeat(self.queries[rows], counts)
        return within, self.data.parts.products(vectors, within, asked), counts

    def between(self, parents: Pairs, ends: Pairs, sentence: Int64Array) -> Float64Array:
        """Return float64[n, 6], a row per edge, in the order of ``evidence.Edge``; rarity and
        bridged are 0.
        """
        data, rows = self.data, parents // self.size
        asked, none = self.queries[rows], np.zeros(len(rows))
        relation, question = (
            data.parts.distinct_products(vectors, sentence, asked)
            for vectors in (data.relations, data.questions)
        )
        new = self.held[rows, ends % self.size] & ~self.held[rows, parents % self.size]
        words = sum_shares(data.asked.weight[asked], new)
        return np.stack([none + 1, relation, question, none, words, none], axis=1)
