"""Relations between the passages that a question ranks: named titles and shared entities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, arrow, find
from harness.plugins.mentions.retriever.mentions.path_data import PathData
from harness.retriever.search.exact import row_products


@dataclass(frozen=True, eq=False)
class Related:
    """Relations of m passages of each question with it and with each other; [i, j] is from i to j.

    Args:
        held: uint64[Q, m], bit w is 1 if the passage has the question's word w.
        weight: float64[Q, W], the words' shares, which sum to 1.
        named: bool[Q, m], whether the question names the passage's title.
        names: float64[Q, m, m], 1 / log2(2 + n) if i's text names j's title, for the n texts that
            name it; otherwise 0.
        names_relation: float64[Q, m, m], the greatest cosine, >= 0, of a sentence of i that joins
            the two to the question with ``it`` for the titles that it names.
        shares: float64[Q, m, m], the same as ``names`` for a shared entity.
        shares_relation: float64[Q, m, m], the same as ``names_relation`` for a shared entity.
        cosine: float64[Q, m, m].
    """

    held: NDArray[np.uint64]
    weight: Float64Array
    named: BoolArray
    names: Float64Array
    names_relation: Float64Array
    shares: Float64Array
    shares_relation: Float64Array
    cosine: Float64Array


@dataclass(frozen=True, eq=False)
class PassageRelations:
    """The data of ``mention_paths`` as relations. ``queries`` is int64[Q], numbers in ``data``."""

    data: PathData
    queries: Int64Array

    @classmethod
    def of(cls, data: PathData) -> PassageRelations:
        """Return the relations of all questions."""
        return cls(data, np.arange(len(data.questions)))

    def take(self, queries: Int64Array) -> Self:
        """Return the relations of some of the questions."""
        return replace(self, queries=self.queries[queries])

    def among(self, docs: Int32Array) -> Related:
        """Return the relations of m passages of each question, int32[Q, m], -1 for none."""
        data, there = self.data, docs >= 0
        size = len(data.passages)
        held = np.take_along_axis(
            data.asked.held(self.queries), np.maximum(docs, 0).astype(np.int64), axis=1
        )
        titles = data.named[0] * size + data.named[1]
        data.parts.read(np.unique(docs[there]).astype(np.int64))
        return Related(
            np.where(there, held, np.uint64(0)),
            data.asked.weight[self.queries],
            there & np.isin(self.queries[:, None] * size + docs, titles),
            *self._edges("names", docs),
            *self._edges("shares", docs),
            row_products(data.passages, docs.astype(np.int64)),
        )

    def _edges(self, kind: str, docs: Int32Array) -> tuple[Float64Array, Float64Array]:
        """Return float64[Q, m, m] twice: the greatest rarity of an edge, and its greatest cosine to
        q'.
        """
        data, size = self.data, len(self.data.passages)
        rarities, cosines = (np.zeros((*docs.shape, docs.shape[1])) for _ in range(2))
        if kind not in data.joined:
            return rarities, cosines
        row, column = np.nonzero(docs >= 0)
        doc = docs[row, column].astype(np.int64)
        place, end, sentence, rarity = data.joined[kind].leaving(doc)
        other = find(arrow(row[place] * size + end), arrow(row * size + doc))
        inside = (other >= 0) & (other != place)
        place, other, sentence = place[inside], other[inside], sentence[inside]
        at = row[place], column[place], column[other]
        asked = self.queries[row[place]]
        relation = data.parts.distinct_products(data.relations, sentence, asked)
        np.maximum.at(rarities, at, rarity[inside])
        np.maximum.at(cosines, at, relation)
        return rarities, cosines
