"""What speaks for a passage as an answer to a question: six numbers, and what each is worth."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from harness.errors import bounded
from harness.retriever.asked import Asked
from harness.retriever.pairs import Pairs, Values


@dataclass(frozen=True)
class Weights:
    """worth(q, p) = question cos(q, p) + relation cos(q', p) + sentence max_s cos(q, s) + sentence_relation max_s
    cos(q', s) + words share(q, p) + title [the question names p's title]

    q' is the question with ``it`` for each title that it names, s a sentence of p, share(q, p) the part of the
    question's words, by their rarity, that p has.
    """

    question: float = 0.0
    relation: float = 0.0
    sentence: float = 0.0
    sentence_relation: float = 0.0
    words: float = 0.0
    title: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            bounded(f"lists.mention_paths weights: {name}", value)

    def worth(self, evidence: NDArray[np.float64]) -> Values:
        """float64[n] of evidence [n, 6]."""
        return weighed(evidence, self)


@dataclass(frozen=True)
class Edge:
    """worth(p, c) = base + relation cos(q', s) + sentence cos(q, s) + rarity r + words new + bridged cos(q + b, c)

    s: the sentence that joins the two. r: 1 / log2(2 + n), n the passages that share what joins them. new: the part of
    the question's words that c has and p has not. cos(q + b, c): the question and p's best sentence, read together,
    against c; 0 where that was not looked for.
    """

    base: float = 0.0
    relation: float = 0.0
    sentence: float = 0.0
    rarity: float = 0.0
    words: float = 0.0
    bridged: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            bounded(f"lists.mention_paths edge: {name}", value)

    def worth(self, features: NDArray[np.float64]) -> Values:
        """float64[n] of features [n, 6]."""
        return weighed(features, self)


def weighed(columns: NDArray[np.float64], weights: Weights | Edge) -> Values:
    """sum_j columns[:, j] weights_j, summed in the order of the fields."""
    total = np.zeros(len(columns))
    for column, weight in zip(columns.T, astuple(weights), strict=True):
        total += weight * column
    return total


@dataclass(frozen=True, eq=False)
class Texts:
    """Vectors of length 1 of D passages, their S sentences, and q questions, as asked and with ``it`` for titles.

    first: int64[D + 1], a passage's sentences. queries: the questions' numbers. named: pairs of question and passage
    whose title it names, ascending. A pair is n D + p, n the question's place in ``queries``.
    """

    passages: NDArray[np.float32]
    sentences: NDArray[np.float32]
    first: NDArray[np.int64]
    questions: NDArray[np.float32]
    relations: NDArray[np.float32]
    asked: Asked
    weight: NDArray[np.float64]
    held: NDArray[np.uint64]
    named: Pairs

    @property
    def size(self) -> int:
        """D."""
        return len(self.passages)

    def evidence(self, pairs: Pairs) -> NDArray[np.float64]:
        """float64[n, 6]: a row a pair, in the order of the fields of ``Weights``."""
        rows, docs, ends, within = self._every_sentence(pairs)
        counts = np.diff(ends, prepend=0)
        owner = np.repeat(rows, counts)
        columns = [inner(self.passages, vectors, rows, docs) for vectors in (self.questions, self.relations)]
        for vectors in (self.questions, self.relations):
            every = inner(self.sentences, vectors, owner, within)
            columns.append(np.maximum.reduceat(every, ends - counts) if len(pairs) else every)
        columns.append(self.asked.share(self.weight[rows], self.held[rows, docs]))
        columns.append(np.isin(pairs, self.named).astype(np.float64))
        return np.stack(columns, axis=1)

    def best_sentence(self, pairs: Pairs) -> NDArray[np.int64]:
        """int64[n]: the passage's sentence of greatest cosine to the question; of equal ones the first."""
        rows, _, ends, within = self._every_sentence(pairs)
        every = inner(self.sentences, self.questions, np.repeat(rows, np.diff(ends, prepend=0)), within)
        order = np.lexsort((within, -every, np.repeat(np.arange(len(pairs)), np.diff(ends, prepend=0))))
        return within[order[ends - np.diff(ends, prepend=0)]]

    def _every_sentence(self, pairs: Pairs) -> tuple[NDArray[np.int64], ...]:
        """Questions and passages of the pairs, where each pair's sentences end in their row, and that row."""
        rows, docs = np.divmod(pairs, self.size)
        counts = self.first[docs + 1] - self.first[docs]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        return rows, docs, ends, np.repeat(self.first[docs] - (ends - counts), counts) + np.arange(total)

    def between(self, parents: Pairs, ends: Pairs, sentence: NDArray[np.int64]) -> NDArray[np.float64]:
        """float64[n, 6]: a row an edge, in the order of the fields of ``Edge``; rarity and bridged are 0 yet."""
        rows = parents // self.size
        asked, place = np.unique(rows * len(self.sentences) + sentence, return_inverse=True)
        who, what = np.divmod(asked, len(self.sentences))
        joined = [inner(self.sentences, vectors, who, what)[place] for vectors in (self.relations, self.questions)]
        new = self.held[rows, ends % self.size] & ~self.held[rows, parents % self.size]
        words = self.asked.share(self.weight[rows], new)
        return np.stack([np.ones(len(rows)), *joined, np.zeros(len(rows)), words, np.zeros(len(rows))], axis=1)


def inner(
    vectors: NDArray[np.float32], questions: NDArray[np.float32], rows: NDArray[np.int64], found: NDArray[np.int64]
) -> Values:
    """float64[n]: the product of each question with what it found, each summed alone."""
    import torch

    from harness.retriever.kernel import inner_products_of

    values = np.empty(len(rows))
    threads = torch.get_num_threads()
    with ThreadPoolExecutor(threads) as pool:
        jobs = [
            pool.submit(inner_products_of, vectors, questions, found, rows, part, values)
            for part in np.array_split(np.arange(len(rows)), threads)
        ]
        for job in jobs:
            job.result()
    return values
