"""Similarities of a question with many labels, as ``apoc.text.sorensenDiceSimilarity``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numba
import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float64Array, Int32Array, Int64Array

_TRIMMED = "".join(map(chr, range(33)))
_SPACE = re.compile(r"[ \t\n\x0b\f\r]+")
BREAK, BLANK = 10, 32


def normalize(text: str) -> str:
    """Return the text in lower case (the paper's query), then upper case, trimmed, with single
    spaces (APOC).
    """
    return _SPACE.sub(" ", text.lower().upper().strip(_TRIMMED))


def bigrams(texts: Sequence[str]) -> tuple[Int64Array, Int64Array]:
    """Return the text and code of each pair of neighbouring UTF-16 units in a word,
    int64[G] each.
    """
    units = np.frombuffer(
        "\n".join(texts).encode("utf-16-le", "surrogatepass"), dtype="<u2"
    ).astype(np.int64)
    text = np.cumsum(units == BREAK)
    parts = (units == BREAK) | (units == BLANK)
    whole = ~(parts[:-1] | parts[1:])
    return text[:-1][whole], ((units[:-1] << 16) | units[1:])[whole]


@dataclass(frozen=True, eq=False)
class Labels:
    """L labels as bags of tokens, with similarity 2 sum_t min(a_t, b_t) / (|a| + |b|).

    Tokens are the bigrams of words; a bag counts repetitions. A label without one (words of one
    letter) has similarity 1 to the same words, and 0 otherwise; APOC's 0 / 0 is not a number.

    Args:
        codes: int64[V], the known tokens, ascending.
        lone: codes (< 0) of labels without a token, by their words.
        bags: int32 [L, V], the count of each token in each label.
        total: int64[L], |label|.
    """

    codes: Int64Array
    lone: Mapping[str, int]
    bags: sp.csr_array
    total: Int64Array

    @classmethod
    def of(cls, texts: Sequence[str]) -> Labels:
        """Return the labels of texts."""
        whole = [normalize(text) for text in texts]
        label, code = bigrams(whole)
        bare = np.flatnonzero(np.bincount(label, minlength=len(whole)) == 0)
        names = sorted({whole[place] for place in bare})
        lone = {name: -1 - place for place, name in enumerate(names)}
        label = np.concatenate([label, bare])
        code = np.concatenate(
            [code, np.array([lone[whole[place]] for place in bare], dtype=np.int64)]
        )
        codes, token = np.unique(code, return_inverse=True)
        cells = np.ones(len(code), np.int32), (label, token)
        bags = sp.coo_array(cells, shape=(len(whole), len(codes))).tocsr()
        return cls(codes, lone, bags, np.bincount(label, minlength=len(whole)))

    def bag(self, question: str) -> tuple[Int32Array, int]:
        """Return int32[V], the question's count of each known token, and its number of tokens."""
        whole = normalize(question)
        _, code = bigrams([whole])
        if not len(code):
            code = np.array([self.lone.get(whole, np.iinfo(np.int64).min)])
        counts = np.zeros(len(self.codes), dtype=np.int32)
        if len(self.codes):
            place = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
            np.add.at(counts, place[self.codes[place] == code], 1)
        return counts, len(code)

    def scores(self, question: str, rows: Int64Array, table: Int64Array) -> Float64Array:
        """Return float64[N], a question's mean similarity with the labels of the rows of int64[T,
        3].
        """
        memory, bags = np.full(len(self.total), -1.0), self.bags
        cells = bags.indptr, bags.indices, bags.data, self.total
        means: Float64Array = similarities(rows, table, *cells, *self.bag(question), memory)
        return means


@numba.njit(cache=True, nogil=True)
def similarities(
    rows: Int64Array,
    table: Int64Array,
    indptr: Int32Array,
    token: Int32Array,
    count: Int32Array,
    total: Int64Array,
    asked: Int32Array,
    asked_total: int,
    memory: Float64Array,
) -> Float64Array:
    """Return float64[N], a bag's mean similarity with the labels of the rows of ``table`` int64[T,
    3].

    ``memory`` is float64[L], -1 for an unknown similarity of a label; known ones are stored in it.
    """
    values = np.empty(rows.shape[0])
    for place in range(rows.shape[0]):
        whole = 0.0
        for part in range(3):
            label = table[rows[place], part]
            if memory[label] < 0:
                shared = 0
                for cell in range(indptr[label], indptr[label + 1]):
                    shared += min(count[cell], asked[token[cell]])
                memory[label] = 2.0 * shared / (asked_total + total[label])
            whole += memory[label]
        values[place] = whole / 3.0
    return values
