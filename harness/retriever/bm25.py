"""BM25, Lucene's variant, over the words of title and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.artifacts import Store
from harness.core.errors import HarnessError, bounded
from harness.core.together import Columns, rows
from harness.run import Run

BLOCK = 256
"""Queries scored at once."""


@dataclass(frozen=True)
class BM25:
    """score(q, d) = sum over the words w of q of idf(w) tf / (tf + k1 (1 - b + b |d| / mean |d|)), float64, above 0.

    idf(w) = ln(1 + (D - df + 0.5) / (df + 0.5)); a word that stands twice in q counts twice. Words are runs of two or
    more letters or digits, in lower case. Documents that share no word with the question are not in its list.
    k1: >= 0.    b: in [0, 1].    depth: documents a question.
    stopwords: a language that bm25s knows; null keeps every word.
    stemmer: a Snowball language, through PyStemmer; null leaves words as they are.
    """

    k1: float = 1.2
    b: float = 0.75
    depth: int = 10
    stopwords: str | None = "english"
    stemmer: str | None = None

    def __post_init__(self) -> None:
        bounded("lists.NAME.k1", self.k1, 0)
        bounded("lists.NAME.b", self.b, 0, 1)
        bounded("lists.NAME.depth", self.depth, 1)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """The ``depth`` best passages of every question."""
        passages, questions = self._words(benchmark.passages), self._words(benchmark.questions)
        distinct = sorted({word for words in passages for word in words})
        vocabulary = {word: number for number, word in enumerate(distinct)}
        bags, index = _bags(questions, vocabulary), self._index(passages, vocabulary)

        def ranked(part: slice) -> Columns:
            lists = [(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0))]
            for start in range(part.start, part.stop, BLOCK):
                block = bags[start : min(start + BLOCK, part.stop)] @ index
                for row, (first, last) in enumerate(pairwise(block.indptr)):
                    docs, scores = _best(block.indices[first:last], block.data[first:last], self.depth)
                    lists.append((np.full(len(docs), start + row), docs, scores))
            return tuple(np.concatenate(column) for column in zip(*lists, strict=True))

        queries, docs, scores = rows("score", ranked, len(questions), BLOCK)
        return Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, scores), {"vocabulary": len(vocabulary)}

    def _index(self, passages: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> Any:
        """[V, D]: what each word adds to each document's score, computed by bm25s."""
        from bm25s import BM25 as Index
        from scipy.sparse import csr_array

        if not vocabulary:
            return csr_array((0, len(passages)))
        index = Index(k1=self.k1, b=self.b, method="lucene", dtype="float64", auto_compile=False)
        numbers = [[vocabulary[word] for word in words] for words in passages]
        index.index((numbers, dict(vocabulary)), create_empty_token=False, show_progress=False)
        table = index.scores
        return csr_array((table["data"], table["indices"], table["indptr"]), shape=(len(vocabulary), len(passages)))

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        import bm25s

        try:
            words: list[list[str]] = bm25s.tokenize(
                list(texts),
                stopwords=self.stopwords or [],
                stemmer=_stemmer(self.stemmer),
                return_ids=False,
                show_progress=False,
            )
        except ValueError as error:
            raise HarnessError(f"lists.NAME.stopwords={self.stopwords}: {error}") from error
        return words


def _bags(texts: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> Any:
    """[Q, V]: how often each known word stands in each text."""
    from scipy.sparse import csr_array

    known = [[vocabulary[word] for word in words if word in vocabulary] for words in texts]
    lengths = [len(words) for words in known]
    places = (np.repeat(np.arange(len(known)), lengths), [word for words in known for word in words])
    bags = csr_array((np.ones(sum(lengths)), places), shape=(len(known), len(vocabulary)))
    bags.sum_duplicates()
    return bags


def _best(
    docs: NDArray[np.int32], scores: NDArray[np.float64], depth: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The ``depth`` best documents with a score above 0, ties by document number."""
    floor = np.partition(scores, -depth)[-depth] if len(scores) > depth else 0.0
    places = np.flatnonzero((scores >= floor) & (scores > 0))
    places = places[np.lexsort((docs[places], -scores[places]))[:depth]]
    return docs[places], scores[places]


def _stemmer(language: str | None) -> Any:
    if language is None:
        return None
    try:
        import Stemmer
    except ImportError as error:
        raise HarnessError(
            f"lists.NAME.stemmer={language} needs PyStemmer: pip install PyStemmer, or set it to null"
        ) from error
    try:
        return Stemmer.Stemmer(language)
    except KeyError as error:
        raise HarnessError(
            f"lists.NAME.stemmer={language} is not known; known: {', '.join(Stemmer.algorithms())}"
        ) from error
