"""The words of questions that passages have."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.benchmark.text import words
from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.retriever.bm25 import best

MOST = 64
"""Largest number of words of a question, those of greatest weight: one bit each."""
SILENT = frozenset(
    words(
        "a an the of in on at to for from by with and or is are was were be been being do does "
        "did has have had who "
        "whom whose what which when where why how that this these those it its as than then into "
        "about also not no nor "
        "but if so such there their they he she his her him you your we our i me my s t name "
        "named called"
    ).texts
)
"""Words that ask, or join others."""


@dataclass(frozen=True, eq=False)
class QuestionWords:
    """The words of Q questions, up to W of each, and the passages that hold them.

    Args:
        weight: float64[Q, W], a word's share ln(1 + (D - df + .5) / (df + .5)) / sum over the
            question's words, so that a row sums to 1 (0 if no word is in any passage).
        word: int32[Q, W], padded with -1.
        holding: [V, D], 1 if the passage holds the word.
    """

    weight: Float64Array
    word: Int32Array
    holding: sp.csr_array

    @classmethod
    def of(cls, passages: Sequence[str], questions: Sequence[str]) -> QuestionWords:
        """Return the words of texts.

        Words are runs of letters and digits, case-folded, without ``SILENT`` ones and without a
        plural's s.
        """
        known: dict[str, int] = {}
        asked = []
        for text in questions:
            words = dict.fromkeys(_plain(text))
            asked.append([known.setdefault(word, len(known)) for word in words])
        rows, ends = array("i"), array("q", [0])
        for text in passages:
            rows.extend(sorted({known[word] for word in _plain(text) if word in known}))
            ends.append(len(rows))
        ones, shape = np.ones(len(rows), np.float32), (len(passages), len(known))
        holding = sp.csr_array(sp.csr_array((ones, np.array(rows), np.array(ends)), shape=shape).T)
        count = np.diff(holding.indptr)
        rarity = np.where(count > 0, np.log(1 + (len(passages) - count + 0.5) / (count + 0.5)), 0.0)
        rarest = [sorted(row, key=lambda word: (-rarity[word], word))[:MOST] for row in asked]
        word = np.full((len(questions), max([1, *map(len, rarest)])), -1, dtype=np.int32)
        for place, row in enumerate(rarest):
            word[place, : len(row)] = row
        weight = np.append(rarity, 0.0)[word]
        total = np.cumsum(weight, axis=1)[:, -1:]
        shares = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)
        return cls(shares, word, holding)

    def held(self, queries: Int64Array) -> NDArray[np.uint64]:
        """Return uint64[q, D], whose bit w is 1 if the passage holds the question's word w."""
        bits = np.zeros((len(queries), self.holding.shape[1]), dtype=np.uint64)
        for row, query in enumerate(queries):
            for place, docs in enumerate(self._holding(query)):
                bits[row, docs] |= np.uint64(1) << np.uint64(place)
        return bits

    def nearest(self, queries: Int64Array, depth: int) -> Int64Array:
        """Return int64[q, k], the passages of greatest share (``sum_shares``) of each question,
        first of equal ones.

        k = min(depth, D). The cost depends on the number of passages that hold a question's words.
        """
        size = self.holding.shape[1]
        first = np.arange(min(depth, size))
        nearest = np.empty((len(queries), len(first)), dtype=np.int64)
        total = np.zeros(size)
        for row, query in enumerate(queries):
            for share, docs in zip(self.weight[query], self._holding(query), strict=False):
                total[docs] += share
            some = np.flatnonzero(total).astype(np.int32)
            ranked, _ = best(some, total[some], depth)
            nearest[row] = np.append(ranked, np.setdiff1d(first, ranked))[: len(first)]
            total[some] = 0
        return nearest

    def _holding(self, query: int) -> Iterator[Int32Array]:
        """Yield the passages that hold each word of a question."""
        for word in self.word[query]:
            if word >= 0:
                yield self.holding.indices[slice(*self.holding.indptr[word : word + 2])]


def sum_shares(weight: Float64Array, bits: NDArray[np.uint64]) -> Float64Array:
    """Return float64[...], the summed weight of the words whose bits are 1.

    Args:
        weight: float64[..., W].
        bits: uint64[...].
    """
    total = np.zeros(bits.shape)
    for place in range(weight.shape[-1]):
        total += weight[..., place] * ((bits >> np.uint64(place)) & np.uint64(1))
    return total


def _plain(text: str) -> list[str]:
    return [_singular(word) for word in words(text).texts if word not in SILENT]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
