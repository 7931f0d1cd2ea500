"""Triples by their words: dense seeds, one hop, Dice-Sorensen overlap with the question (Dice-Sorensen hybrid 3, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.errors import bounded, one_of, whole_number
from harness.graph.extractor import Extraction, Extractor, Triples, extract
from harness.model.encoder import Encoder, embed
from harness.plugins.dice.triple.sorensen import TOKENS
from harness.plugins.dice.triple.triples import RowTargets, graph_branch, sentence_triples
from harness.plugins.dice.triplestore import Triplestore, TripleTable
from harness.plugins.dice.vectorstore import Vectorstore
from harness.plugins.mentions.retriever.mentions import keep_greatest
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class Dice:
    """s(q, T) = (dice(q, head) + dice(q, relation) + dice(q, tail)) / 3 of a triple T, in [0, 1] (eq. 3).

    Seeds are the titles of the ``seeds`` passages of greatest cosine (V_k); with ``start: names`` what the question
    names, with ``both`` both. They are expanded by one hop: triples with a seed as head, and, ``inward``, as tail (the
    undirected match of Figure 2). A row is a triple and its end away from the seed; the
    ``rows`` best rows count, ties by triple. A passage scores the greatest of the rows that lead to it. The list is

    score(d) = max(s_vec(q, d), s_graph(q, d) + epsilon), each where d has it (eq. 4), or, without ``union``, s_graph.

    tokens: ``bigrams``, as APOC has them, or ``words``.
    seeds: K_1, >= 1; null scores every triple and seeds nothing.
    rows: K_2, >= 1; null for all.    epsilon: >= 0.
    leads: the passages that a row leads to: ``title``, those with its far end as title; ``stated``, that which states
    the triple; ``both``.
    reads: the extractor's ``triples``, or ``sentences``: (title, sentence, name) of its mentions.
    """

    version: ClassVar[int] = 1
    extractor: Extractor
    encoder: Encoder
    triplestore: Triplestore
    vectorstore: Vectorstore
    seeds: int | None = 10
    start: str = "vectors"
    rows: int | None = 10
    inward: bool = True
    tokens: str = "bigrams"
    reads: str = "triples"
    leads: str = "title"
    union: bool = True
    epsilon: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("seeds", "rows"):
            if getattr(self, name) is not None:
                whole_number(f"lists.NAME.{name}", getattr(self, name), 1)
        one_of("lists.NAME.start", self.start, ("vectors", "names", "both"))
        one_of("lists.NAME.tokens", self.tokens, TOKENS)
        one_of("lists.NAME.reads", self.reads, ("triples", "sentences"))
        one_of("lists.NAME.leads", self.leads, ("title", "stated", "both"))
        bounded("lists.NAME.epsilon", self.epsilon, 0)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """All questions, one expansion each."""
        found = extract(self.extractor, benchmark, store)
        triples = sentence_triples(found, benchmark.passages) if self.reads == "sentences" else found.triples
        near, cosines = self._near(benchmark, store)
        size = len(benchmark.doc_ids)
        held = near >= 0  # an approximate index may find fewer
        pairs = [(near + size * np.arange(len(near))[:, None])[held]] if self.union else []
        values = [cosines[held]] if self.union else []
        count = 0
        for question, (docs, scores) in enumerate(self._expanded(benchmark, found, triples, near)):
            count += len(docs)
            pairs.append(docs + size * question)
            values.append(scores + (self.epsilon if self.union else 0.0))
        every, score = keep_greatest(np.concatenate([*pairs, []]).astype(np.int64), np.concatenate([*values, []]))
        queries, docs = np.divmod(every, size)
        run = Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, score)
        return run, {"triples": len(triples.subject), "reached": count}

    def _near(self, benchmark: Benchmark, store: Store) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """int64[Q, K_1] and float64[Q, K_1]: V_k, -1 where fewer were found; no columns without seeds."""
        if self.seeds is None:
            return np.empty((len(benchmark.query_ids), 0), np.int64), np.empty((len(benchmark.query_ids), 0))
        passages = np.asarray(embed(self.encoder, benchmark.passages, "passage", store))
        questions = np.asarray(embed(self.encoder, benchmark.questions, "question", store))
        with self.vectorstore.open(passages) as search:
            return search(questions, self.seeds)

    def _expanded(
        self, benchmark: Benchmark, found: Extraction, triples: Triples, near: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """G_k of every question: passages and scores."""
        facts = TripleTable(
            entity_labels(found, benchmark),
            triples.predicates,
            triples.subject.astype(np.int64),
            triples.predicate.astype(np.int64),
            triples.object.astype(np.int64),
        )
        reach, held = RowTargets.of(found, triples, self.leads), near >= 0
        with self.triplestore.open(facts, self.inward) as expand:
            branch = graph_branch(facts, expand, reach, self.tokens, self.inward, self.rows)
            for place, question in enumerate(benchmark.questions):
                seeds = None if self.seeds is None else self._seeds(found, near[place][held[place]], place)
                yield branch(question, seeds)

    def _seeds(self, found: Extraction, near: NDArray[np.int64], place: int) -> NDArray[np.int64]:
        """The entities that a question's expansion starts from, ascending."""
        named = found.questions.entity[found.questions.indptr[place] : found.questions.indptr[place + 1]]
        titles = found.titled[near]
        parts = {"vectors": [titles], "names": [named], "both": [titles, named]}[self.start]
        seeds = np.unique(np.concatenate(parts))
        return seeds[seeds >= 0].astype(np.int64)


def entity_labels(found: Extraction, benchmark: Benchmark) -> list[str]:
    """What each entity is called: the title of the first passage about it, as written, or else its name."""
    names = list(found.names)
    for title, entity in zip(benchmark.corpus["title"][::-1], found.titled[::-1].tolist(), strict=True):
        if title and entity >= 0:
            names[entity] = title
    return names
