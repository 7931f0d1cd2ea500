"""Relations between the passages that a question ranks: named titles and shared entities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from harness.plugins.mentions.retriever.mentions.path_data import PathData
from harness.retriever.search import row_products


@dataclass(frozen=True, eq=False)
class Related:
    """Relations of m passages of each question with it and with each other; [i, j] is from i to j.

    Args:
        held: uint64[Q, m], bit w is 1 if the passage has the question's word w.
        weight: float64[Q, W], the words' shares, which sum to 1.
        share: returns the summed weight [..., W] of bits [...].
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
    share: Callable[[Float64Array, NDArray[np.uint64]], Float64Array]
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
        asked, there = self.data.asked, docs >= 0
        held = np.take_along_axis(
            asked.held(self.queries), np.maximum(docs, 0).astype(np.int64), axis=1
        )
        pairs = self.queries[:, None] * len(self.data.passages) + docs
        size = len(self.data.passages)
        titles = self.data.named[0] * size + self.data.named[1]
        named = there & np.isin(pairs, titles)
        self.data.parts.read(np.unique(docs[there]).astype(np.int64))
        names = self._edges("names", docs)
        shares = self._edges("shares", docs)
        return Related(
            np.where(there, held, np.uint64(0)),
            asked.weight[self.queries],
            asked.share,
            named,
            *names,
            *shares,
            row_products(self.data.passages, docs.astype(np.int64)),
        )

    def _edges(self, kind: str, docs: Int32Array) -> tuple[Float64Array, Float64Array]:
        """Return float64[Q, m, m] twice: the greatest rarity of an edge, and its greatest cosine to
        q'.
        """
        count, width = docs.shape
        rarities, cosines = (np.zeros((count, width, width)) for _ in range(2))
        if kind not in self.data.joined:
            return rarities, cosines
        row, column = np.nonzero(docs >= 0)
        place, end, sentence, rarity = self.data.joined[kind].leaving(
            docs[row, column].astype(np.int64)
        )
        row, column = row[place], column[place]
        other = _column_of(docs, row, end, len(self.data.passages))
        kept = (other >= 0) & (other != column)
        row, column, other, rarity, sentence = (
            part[kept] for part in (row, column, other, rarity, sentence)
        )
        size = len(self.data.sentences.start)
        asked, back = np.unique(row * size + sentence, return_inverse=True)
        who, what = np.divmod(asked, size)
        relation = self.data.parts.products(self.data.relations, what, self.queries[who])[back]
        np.maximum.at(rarities, (row, column, other), rarity)
        np.maximum.at(cosines, (row, column, other), relation)
        return rarities, cosines


def _column_of(docs: Int32Array, row: Int64Array, doc: Int64Array, size: int) -> Int64Array:
    """Return int64[n], the column of a document in its row, or -1."""
    rows, columns = np.nonzero(docs >= 0)
    keys = rows * size + docs[rows, columns]
    order = np.argsort(keys, kind="stable")
    wanted = row * size + doc
    at = np.minimum(np.searchsorted(keys[order], wanted), max(len(keys) - 1, 0))
    return (
        np.where(keys[order][at] == wanted, columns[order][at], -1)
        if len(keys)
        else np.full(len(row), -1)
    )
