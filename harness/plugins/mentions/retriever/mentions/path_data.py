"""The data of paths over mentions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.core.arrays import Float32Array, Int64Array
from harness.plugins.mentions.retriever.mentions.links import Crossing
from harness.plugins.mentions.retriever.mentions.pair_texts import PairTexts
from harness.plugins.mentions.retriever.mentions.pairs import Pairs
from harness.plugins.mentions.retriever.mentions.question_words import QuestionWords
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.plugins.mentions.retriever.mentions.sentence_vectors import SentenceVectors
from harness.retriever.search import nearest_rows


@dataclass(frozen=True, eq=False)
class PathData:
    """All texts of a benchmark as vectors, and the edges between its passages by kind.

    ``near`` is the number of nearest passages of a question.
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

    def named_by(self, queries: Int64Array) -> Pairs:
        """Return pairs of the questions, ascending, with the passages whose title they name."""
        rows, docs = self.named
        asking = np.isin(rows, queries)
        return np.searchsorted(queries, rows[asking]) * len(self.passages) + docs[asking]

    def texts(self, queries: Int64Array) -> PairTexts:
        """Return the vectors and words of a block of questions, ascending."""
        return PairTexts(
            self.passages,
            self.parts,
            self.sentences.first,
            self.questions[queries],
            self.relations[queries],
            self.asked,
            self.asked.weight[queries],
            self.asked.held(queries),
            self.named_by(queries),
        )
