"""BM25, Lucene's variant, over the words of title and text."""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array, Int32Array, Int64Array, load_array, write_array
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, bounded, whole_number
from harness.core.files import write_text
from harness.core.identity import identity, texts_sha256
from harness.core.threads import available
from harness.run import Run
from harness.work.latency import time_alone
from harness.work.processes import Workers
from harness.work.shared_rows import Columns, map_rows
from harness.work.store import Store

NO_WORD = "questions that share no word with a passage (words are runs of letters between blanks)"
"""What is odd about a list if there are any."""
PART = 256
"""Number of queries of a part, if several processes score."""
ARRAYS, WORDS = ("data", "indices", "indptr"), "words.txt"
"""The files of a stored index."""
BLOCK = 1 << 12
"""Number of texts whose words are held at once."""
ALONE = 8 * BLOCK
"""Number of texts up to which one process is as fast. Others take a second to start."""


@dataclass(frozen=True)
class BM25:
    """score(q, d) = sum over the words w of q of idf(w) tf / (tf + k1 (1 - b + b |d| / mean |d|)),
    float64, above 0.

    idf(w) = ln(1 + (D - df + 0.5) / (df + 0.5)). A word that occurs twice in q counts twice. Words
    are runs of two or more letters or digits, in lower case. A list has only documents that share a
    word with the question.

    Attributes:
        k1: >= 0.
        b: in [0, 1].
        depth: number of documents of a question.
        stopwords: a language that bm25s knows; null keeps every word.
        stemmer: a Snowball language, through PyStemmer; null leaves words unchanged.
    """

    version = 1
    least: ClassVar[float] = 0.0

    k1: float = 1.2
    b: float = 0.75
    depth: int = 10
    stopwords: str | None = "english"
    stemmer: str | None = None

    def __post_init__(self) -> None:
        bounded("lists.NAME.k1", self.k1, 0)
        bounded("lists.NAME.b", self.b, 0, 1)
        whole_number("lists.NAME.depth", self.depth, 1)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the ``depth`` best passages of every question."""
        bags, index = self.index(benchmark.passages, benchmark.questions, store)

        def add(query: int, total: Float64Array) -> None:
            of_question = slice(*bags.indptr[query : query + 2])
            for word, count in zip(bags.indices[of_question], bags.data[of_question], strict=True):
                holding = slice(*index.indptr[word : word + 2])
                total[index.indices[holding]] += count * index.data[holding]

        unknown = int((np.diff(bags.indptr) == 0).sum())
        facts = {"vocabulary": index.shape[0], "odd": {NO_WORD: unknown}}
        return rank(benchmark, add, self.depth), facts

    def index(
        self, passages: Sequence[str], questions: Sequence[str], store: Store
    ) -> tuple[Any, Any]:
        """Return how often each question has each word, and what the word adds to scores.

        Returns:
            [Q, V], how often each question has each word of the passages, and [V, D],
            memory-mapped, what a word adds to the score of each passage with it.
        """
        from scipy.sparse import csr_array

        def write(folder: Path) -> None:
            counts, words = Tokenizer(self.stopwords, self.stemmer).counts(passages)
            index = self._index(counts)
            for name in ARRAYS:
                write_array(folder / f"{name}.npy", getattr(index, name))
            write_text(folder / WORDS, "\n".join(words))

        settings = {name: getattr(self, name) for name in ("k1", "b", "stopwords", "stemmer")}
        config = {"bm25": "lucene", **{name: identity(value) for name, value in settings.items()}}
        place = store.get("index", config, {"passages": texts_sha256(passages)}, write).path
        words = [word for word in (place / WORDS).read_text(encoding="utf-8").split("\n") if word]
        arrays = tuple(load_array(place / f"{name}.npy", mapped=True) for name in ARRAYS)
        vocabulary = {word: number for number, word in enumerate(words)}
        index = csr_array(arrays, shape=(len(words), len(passages)))
        texts = Tokenizer(self.stopwords, self.stemmer).of(questions)
        rows: list[int] = []
        columns: list[int] = []
        for question, text_words in enumerate(texts):
            known = [vocabulary[word] for word in text_words if word in vocabulary]
            rows += [question] * len(known)
            columns += known
        bags = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(texts), len(words)))
        bags.sum_duplicates()
        return bags, index

    def _index(self, counts: Any) -> Any:
        """Return [V, D], what each word adds to each document's score."""
        size, lengths = counts.shape[0], np.asarray(counts.sum(axis=1)).ravel()
        held = np.bincount(counts.indices, minlength=counts.shape[1])
        rarity = np.array([math.log(1 + (size - n + 0.5) / (n + 0.5)) for n in held.tolist()])
        norm = self.k1 * ((1 - self.b) + self.b * lengths / (lengths.mean() or 1.0))
        counts.data = rarity[counts.indices] * (
            counts.data / (np.repeat(norm, np.diff(counts.indptr)) + counts.data)
        )
        return counts.T.tocsr()


def rank(benchmark: Benchmark, add: Callable[[int, Float64Array], None], depth: int) -> Run:
    """Return the ``depth`` best passages of every question.

    Args:
        benchmark: the benchmark.
        add: adds the scores of a question (a number) to float64[D], which is 0 before.
        depth: number of passages.
    """

    def ranked(rows: slice) -> Columns:
        lists = [(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0))]
        total = np.zeros(len(benchmark.doc_ids))
        for query in range(rows.start, rows.stop):
            add(query, total)
            scored = np.flatnonzero(total).astype(np.int32)
            docs, scores = best(scored, total[scored], depth)
            lists.append((np.full(len(docs), query), docs, scores))
            total[scored] = 0
        return tuple(np.concatenate(column) for column in zip(*lists, strict=True))

    columns = map_rows("score", ranked, len(benchmark.questions), PART)
    time_alone(lambda query: ranked(slice(query, query + 1)), len(benchmark.questions))
    return Run.of(benchmark.query_ids, benchmark.doc_ids, *columns)


def best(docs: Int32Array, scores: Float64Array, depth: int) -> tuple[Int32Array, Float64Array]:
    """Return the ``depth`` best of n documents with a score above 0. Ties are ordered by document
    number.

    Args:
        docs: int32[n].
        scores: float64[n].
        depth: number of documents.
    """
    floor = np.partition(scores, -depth)[-depth] if len(scores) > depth else 0.0
    places = np.flatnonzero((scores >= floor) & (scores > 0))
    places = places[np.lexsort((docs[places], -scores[places]))[:depth]]
    return docs[places], scores[places]


@dataclass(frozen=True)
class Tokenizer:
    """A splitter of texts into words: runs of two or more letters or digits, in lower case.

    Attributes:
        stopwords: a language that bm25s knows; None keeps every word.
        stemmer: a Snowball language, through PyStemmer; None leaves words unchanged.
    """

    stopwords: str | None
    stemmer: str | None

    def of(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of each text, in their order."""
        try:
            words: list[list[str]] = _bm25s().tokenize(
                list(texts),
                stopwords=self.stopwords or [],
                stemmer=_stemmer(self.stemmer),
                return_ids=False,
                show_progress=False,
            )
        except ValueError as error:
            raise HarnessError(f"lists.NAME.stopwords={self.stopwords}: {error}") from error
        return words

    def numbered(self, texts: Sequence[str]) -> tuple[list[str], Int32Array, Int64Array]:
        """Return the distinct words, the number of each word of all texts, and the number of words
        of each text.
        """
        known: dict[str, int] = {}
        words = self.of(texts)
        every_word = itertools.chain.from_iterable(words)
        numbers = [known.setdefault(word, len(known)) for word in every_word]
        return (
            list(known),
            np.array(numbers, dtype=np.int32),
            np.array([len(text_words) for text_words in words], dtype=np.int64),
        )

    def counts(self, texts: Sequence[str]) -> tuple[Any, list[str]]:
        """Return float64[D, V], how often each word occurs in each text, and the words in
        alphabetical order.
        """
        from scipy.sparse import csr_array

        known: dict[str, int] = {}
        columns, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
        count = available() if len(texts) > ALONE else 1
        with Workers(count, Tokenizer, Tokenizer.numbered, self.stopwords, self.stemmer) as workers:
            for words, numbers, block_lengths in workers.map(
                texts[a : a + BLOCK] for a in range(0, len(texts), BLOCK)
            ):
                first_seen = np.array(
                    [known.setdefault(word, len(known)) for word in words], dtype=np.int32
                )
                columns.append(first_seen[numbers])
                lengths.append(block_lengths)
        names = sorted(known)
        alphabetical = np.empty(len(names), dtype=np.int32)
        alphabetical[[known[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        held = alphabetical[np.concatenate(columns)]
        starts = np.cumsum(np.concatenate(lengths))
        counts = csr_array(
            (np.ones(len(held)), held, starts), shape=(len(texts), len(names)), dtype=np.float64
        )
        counts.sum_duplicates()
        return counts, names


@functools.cache
def _bm25s() -> Any:
    """Return bm25s without JAX. If JAX is installed, bm25s would import it for a search that is not
    used here, which takes seconds and most of a GPU's memory.
    """
    imported = "jax" in sys.modules
    if not imported:
        sys.modules["jax"] = None  # type: ignore[assignment]  # what is None there cannot be imported
    try:
        import bm25s
    finally:
        if not imported:
            del sys.modules["jax"]
    return bm25s


def _stemmer(language: str | None) -> Any:
    if language is None:
        return None
    try:
        import Stemmer

        return Stemmer.Stemmer(language)
    except (ImportError, KeyError) as error:
        raise HarnessError(
            f"lists.NAME.stemmer={language}: {error}; expected a language of PyStemmer (pip "
            "install PyStemmer), or null"
        ) from error
