"""A second step of BM25 from each of its first passages, for the words that the passage lacks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array
from harness.core.artifact import Facts
from harness.core.errors import check_fields
from harness.retriever.bm25 import BM25, best, rank
from harness.run import Run
from harness.work.store import Store

PART = 64
"""Questions of a part if several processes score."""


@dataclass(frozen=True)
class Hops:
    """score(d) = max_s (1 + B(q, s) / max_c B(q, c)) B(q_s, d) / max_{c != s} B(q_s, c), d != s.

    s is one of the ``passages`` best of BM25, and B its score with the longer list of English stop
    words. q_s has the words of the question q that s lacks, as often as in q, and the words of s
    that q lacks, each with its contribution to the score of s divided by the greatest contribution
    in s. So a passage is searched for with the part of the question that s does not answer. This is
    the feedback of Rocchio (1971), one passage at a time, without graph or vectors.

    Args:
        passages: number of first passages, >= 1.
        depth: passages of a list, >= 1; those of score 0 are left out.
    """

    version = 1

    passages: int = 5
    depth: int = 100

    def __post_init__(self) -> None:
        check_fields("lists.NAME", self, passages="whole [1, inf)", depth="whole [1, inf)")

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Score question by question. Each search reads the postings of its words."""
        bags, index = BM25(stopwords="english_plus").index(
            benchmark.passages, benchmark.questions, store
        )
        held, every = index.T.tocsr(), np.arange(index.shape[1], dtype=np.int32)

        def add(query: int, total: Float64Array) -> None:
            own = slice(*bags.indptr[query : query + 2])
            asked, often = bags.indices[own], bags.data[own]
            seeds, worth = best(every, often @ index[asked], self.passages)
            for seed, value in zip(seeds.tolist(), worth / worth.max(initial=0), strict=True):
                own = slice(*held.indptr[seed : seed + 2])
                words, adds = held.indices[own], held.data[own]
                still, new = ~np.isin(asked, words), ~np.isin(words, asked)
                weights = np.concatenate([often[still], adds[new] / adds.max()])
                found = weights @ index[np.concatenate([asked[still], words[new]])]
                found[seed] = 0
                if (most := found.max()) > 0:
                    np.maximum(total, (1 + value) * found / most, out=total)

        return rank(benchmark, add, self.depth, PART), {}
