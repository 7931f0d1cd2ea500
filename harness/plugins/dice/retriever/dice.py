"""Triples by their words: dense seeds, one hop, Dice-Sorensen overlap (Dice-Sorensen
hybrid 3, 4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array, Int64Array
from harness.core.artifact import Facts
from harness.core.errors import check_fields, one_of
from harness.core.identity import LATER
from harness.graph.extractor import Extraction, Extractor, Mentions, Triples, extract, find_names
from harness.model.encoder import Encoder, embed
from harness.plugins.dice.triple.edit import EDITS, EditLabels
from harness.plugins.dice.triple.sorensen import Labels
from harness.plugins.dice.triple.triples import GraphBranch, RowTargets, sentence_triples
from harness.plugins.dice.triplestore import Triplestore, TripleTable
from harness.plugins.dice.vectorstore import Vectorstore
from harness.plugins.mentions.retriever.mentions.pairs import keep_greatest
from harness.run import Run
from harness.work.latency import time_alone
from harness.work.store import Store


@dataclass(frozen=True)
class Dice:
    """s(q, T) = (dice(q, head) + dice(q, relation) + dice(q, tail)) / 3 of a triple T, in [0, 1]
    (eq. 3).

    Seeds are the titles of the ``seeds`` passages of greatest cosine (V_k), expanded by ``hops``:
    triples with a seed as head and, with ``inward``, as tail (the undirected match of Figure 2),
    then those of their far ends. A row is a triple and its end away from the seeds; the ``rows``
    best rows count, ties by triple. A passage has the greatest score of the rows that lead to it.
    The list is score(d) = max(s_vec(q, d), s_graph(q, d) + epsilon), each if d has it (eq. 4), or
    s_graph without ``union``.

    Args:
        seeds: K_1, >= 1; None scores every triple without seeds.
        start: ``vectors`` as above, or ``names`` that the question names.
        rows: K_2, >= 1; None for all.
        reads: the extractor's ``triples``, or ``sentences``: (title, sentence, name) of its
            mentions.
        leads: the passages of a row: ``title``, those with its far end as title; ``both``, also the
            one that states the triple.
        epsilon: >= 0.
        similarity: ``dice``, or of whole labels by edits (``levenshtein``, ``jaro_winkler``), which
            the paper tried.
        hops: >= 1; 2 is the subgraph around a topic of 5.1.
        relations: >= 1, number of relations, most similar to the question, that lead to a further
            hop (section 6: patterns that reduce noise); None for all.
    """

    version = 1
    extractor: Extractor
    encoder: Encoder
    triplestore: Triplestore
    vectorstore: Vectorstore
    seeds: int | None = 10
    start: str = "vectors"
    rows: int | None = 10
    inward: bool = True
    reads: str = "triples"
    leads: str = "title"
    union: bool = True
    epsilon: float = 1e-6
    similarity: str = field(default="dice", metadata=LATER)
    hops: int = field(default=1, metadata=LATER)
    relations: int | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        check_fields(
            "lists.NAME",
            self,
            seeds="whole [1, inf) or null",
            rows="whole [1, inf) or null",
            hops="whole [1, inf) or null",
            relations="whole [1, inf) or null",
            epsilon="[0, inf)",
        )
        one_of("lists.NAME.start", self.start, ("vectors", "names"))
        one_of("lists.NAME.similarity", self.similarity, ("dice", *EDITS))
        one_of("lists.NAME.reads", self.reads, ("triples", "sentences"))
        one_of("lists.NAME.leads", self.leads, ("title", "both"))

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the run of all questions, with one expansion each."""
        extraction = extract(self.extractor, benchmark, store)
        triples = (
            sentence_triples(extraction, benchmark.passages)
            if self.reads == "sentences"
            else extraction.triples
        )
        near, cosines = self._near(benchmark, store)
        size = len(benchmark.doc_ids)
        held = near >= 0  # an approximate index may find fewer
        pairs = [(near + size * np.arange(len(near))[:, None])[held]] if self.union else []
        values = [cosines[held]] if self.union else []
        names = find_names(self.extractor, benchmark, store).mentions
        expanded = self._expanded(benchmark, extraction, names, triples, near)
        for question, (docs, scores) in enumerate(expanded):
            pairs.append(docs + size * question)
            values.append(scores + (self.epsilon if self.union else 0.0))
        every, score = keep_greatest(
            np.concatenate([*pairs, []]).astype(np.int64), np.concatenate([*values, []])
        )
        queries, docs = np.divmod(every, size)
        run = Run.of(benchmark.query_ids, benchmark.doc_ids, queries, docs, score)
        return run, {"triples": len(triples.subject)}

    def _near(self, benchmark: Benchmark, store: Store) -> tuple[Int64Array, Float64Array]:
        """Return V_k as int64[Q, K_1] and float64[Q, K_1], -1 for none; no columns
        without seeds.
        """
        if self.seeds is None:
            return np.empty((len(benchmark.query_ids), 0), np.int64), np.empty(
                (len(benchmark.query_ids), 0)
            )
        passages = embed(self.encoder, benchmark.passages, "passage", store)
        questions = embed(self.encoder, benchmark.questions, "question", store)
        with self.vectorstore.open(passages) as search:
            return search(questions, self.seeds)

    def _expanded(
        self,
        benchmark: Benchmark,
        extraction: Extraction,
        names: Mentions,
        triples: Triples,
        near: Int64Array,
    ) -> Iterator[tuple[Int64Array, Float64Array]]:
        """Yield G_k of every question: passages and scores."""
        facts = TripleTable(
            entity_labels(extraction, benchmark),
            triples.predicates,
            triples.subject.astype(np.int64),
            triples.predicate.astype(np.int64),
            triples.object.astype(np.int64),
        )
        reach, held = RowTargets.of(extraction, triples, self.leads), near >= 0
        labels = [*facts.names, *facts.relations]
        known = (
            Labels.of(labels)
            if self.similarity == "dice"
            else EditLabels.of(labels, self.similarity)
        )
        with self.triplestore.open(facts, self.inward) as expand:
            branch = GraphBranch(
                facts,
                expand,
                known,
                reach,
                self.inward,
                self.rows,
                self.hops,
                self.relations,
            )

            def answer(place: int) -> tuple[Int64Array, Float64Array]:
                seeds = names.entity[slice(*names.indptr[place : place + 2])]
                if self.start == "vectors":
                    seeds = extraction.titled[near[place][held[place]]]
                known = (seeds >= 0) & (seeds < len(extraction.names))
                starts = np.unique(seeds[known]).astype(np.int64)
                if self.seeds is None:
                    return branch(benchmark.questions[place], None)
                return branch(benchmark.questions[place], starts)

            yield from map(answer, range(len(benchmark.questions)))
            time_alone(answer, len(benchmark.questions))


def entity_labels(extraction: Extraction, benchmark: Benchmark) -> list[str]:
    """Return each entity's label: the title of the first passage about it, otherwise its name."""
    names = list(extraction.names)
    for title, entity in zip(
        benchmark.corpus["title"][::-1], extraction.titled[::-1].tolist(), strict=True
    ):
        if title and entity >= 0:
            names[entity] = title
    return names
