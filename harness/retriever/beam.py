"""Beam search over paths of sentences that share an entity, then PageRank from what the best paths name (PropRAG)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.artifacts import Store
from harness.core.errors import bounded
from harness.core.identity import NO_RESULT
from harness.graph import Graph
from harness.model.encoder import Encoder, embed
from harness.retriever.hipporag import spread_cosines
from harness.retriever.mentions.pairs import expand_ranges
from harness.retriever.mentions.sentence import Sentences
from harness.retriever.mentions.sentence_paths import (
    Floats,
    grow_paths,
    held_entities,
    join_entities,
    weigh_entities,
)
from harness.retriever.pagerank.pagerank import solve
from harness.retriever.search.exact import inner_products
from harness.retriever.search.index import exact_search
from harness.retriever.undirected import Undirected
from harness.retriever.walk import normalize_rows
from harness.run import Run

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Beam:
    """PropRAG (Wang and Han 2025, arXiv 2504.18070) with sentences as its propositions; it asks no language model.

    Graph: entities of one sentence are joined (weight: the sentences that hold both), synonyms by their cosine, a
    passage and its entities by 1. A sentence holds what it mentions and the entity of its passage's title.
    1. The ``near`` sentences of greatest cosine name ``entities`` entities (greatest sum of cosines), each a seed of
       weight 1; a passage's is ``passage_weight`` c(p), c the cosine scaled to [0, 1] over all passages. A walk
       from these (``first_restart``) leaves the ``focus`` best passages.
    2. Among their sentences paths grow from the ``width`` nearest, up to ``length`` sentences: a path goes on to a
       sentence that shares an entity or a synonym with its last one, or to one of the ``parallel`` nearest, and the
       ``width`` best are kept at each length. worth(path) = cos(q, mean of its sentences' vectors) =
       sum_i <q, s_i> / sqrt(sum_ij <s_i, s_j>). No set of sentences is kept twice.
    3. The ``best`` paths of any length give their ``seeds`` entities of greatest sum of worths each the greatest of
       them, divided by the greatest of all; so do the ``width`` first sentences; the greater counts. A walk from these
       and the passages in the graph of the focus alone (``restart``) ranks it: score = v(p). The others follow by the
       first walk u: u(p) times half the least v(p) of the focus.

    Not as published: there a language model writes propositions, and the 40 best paths of each length are encoded as
    one text; here nothing is encoded for a question but itself. Edges count once.
    """

    version: ClassVar[int] = 1
    graph: Graph
    encoder: Encoder
    width: int = 4
    length: int = 3
    parallel: int = 3
    best: int = 5
    seeds: int = 5
    near: int = 20
    entities: int = 40
    focus: int = 50
    first_restart: float = 0.25
    restart: float = 0.55
    passage_weight: float = 0.05
    tolerance: float = 1e-6
    max_iter: int = 200
    block: int = field(default=64, metadata=NO_RESULT)
    threads: int | None = field(default=None, metadata=NO_RESULT)
    device: str = "cpu"

    def __post_init__(self) -> None:
        for name in ("width", "length", "focus", "max_iter", "block"):
            bounded(f"lists.NAME.{name}", getattr(self, name), 1)
        for name in ("parallel", "best", "seeds", "near", "entities", "passage_weight"):
            bounded(f"lists.NAME.{name}", getattr(self, name), 0)
        for name in ("first_restart", "restart"):
            bounded(f"lists.NAME.{name}", getattr(self, name), 0, 1, open_low=True)
        bounded("lists.NAME.tolerance", self.tolerance, 0, open_low=True)

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Mapping[str, Any]]:
        """The first walk of all questions together, then question by question."""
        network, extraction = self.graph.build(benchmark, store)
        sentences = Sentences.of(benchmark)
        held = held_entities(extraction, sentences)
        alike = sp.csr_array(held @ (sp.eye_array(held.shape[1], format="csr") + network.synonym))
        edges, first = Undirected().graph(replace(network, relation=join_entities(held))), held.shape[1]
        texts = np.asarray(embed(self.encoder, sentences.texts, "passage", store))
        questions = np.asarray(embed(self.encoder, benchmark.questions, "question", store))
        passages = np.asarray(embed(self.encoder, benchmark.passages, "passage", store))
        close = self.passage_weight * spread_cosines(passages, questions)
        named = self._named(*exact_search(texts, questions, self.near), held)
        rows, docs, scores, searched = [], [], [np.empty(0)], 0
        for query, reached in enumerate(self._walk(edges, sp.hstack([named, close]), self.first_restart, first)):
            focus = np.sort(np.lexsort((np.arange(len(reached)), -reached))[: self.focus])
            within = expand_ranges(sentences.first[focus], np.diff(sentences.first)[focus])
            joined = (alike[within] @ held[within].T).toarray() > 0
            judged = _judged(texts, questions[query], within)
            paths = grow_paths(*judged, joined, self.width, self.length, self.parallel)
            searched += len(paths)
            nodes = np.concatenate([np.unique(edges[first + focus].indices), first + focus])
            seeds = np.concatenate([weigh_entities(paths, held[within], self.best, self.seeds), close[query]])[nodes]
            inside = next(self._walk(edges[nodes][:, nodes], seeds[None], self.restart, len(nodes) - len(focus)))
            values = 0.5 * inside.min(initial=1.0) * reached
            values[focus] = inside
            listed = np.union1d(focus, np.flatnonzero(reached >= self.tolerance))
            rows.append(np.full(len(listed), query))
            docs.append(listed)
            scores.append(values[listed])
        none = np.empty(0, np.int64)
        run = Run.of(
            benchmark.query_ids,
            benchmark.doc_ids,
            np.concatenate([none, *rows]),
            np.concatenate([none, *docs]),
            np.concatenate(scores),
        )
        return run, {"sentences": len(sentences.texts), "edges": edges.nnz // 2, "paths": searched}

    def _named(self, near: NDArray[np.int64], cosine: Floats, held: sp.csr_array) -> sp.csr_array:
        """[Q, E], 1 for the entities that a question starts from."""
        rows = np.repeat(np.arange(len(near)), near.shape[1])
        shape = (len(near), held.shape[0])
        total = sp.csr_array(sp.csr_array(sp.coo_array((cosine.ravel(), (rows, near.ravel())), shape=shape)) @ held)
        rows = np.repeat(np.arange(len(near)), np.diff(total.indptr))
        order = np.lexsort((total.indices, -total.data, rows))
        kept = order[np.arange(len(order)) - total.indptr[rows] < self.entities]
        entries = (np.ones(len(kept)), (rows[kept], total.indices[kept]))
        return sp.csr_array(sp.coo_array(entries, shape=total.shape))

    def _walk(self, edges: sp.csr_array, seeds: Any, restart: float, first: int) -> Iterator[Floats]:
        """Each question's values from node ``first`` on."""
        solved = solve(
            normalize_rows(edges), normalize_rows(sp.csr_array(seeds)), restart, self.tolerance, self.max_iter,
            block=self.block, threads=self.threads, device=self.device,
        )  # fmt: skip
        return (values for part in solved for values in part.values[first:].T.astype(np.float64))


def _judged(texts: NDArray[np.float32], question: NDArray[np.float32], within: Numbers) -> tuple[Floats, Floats]:
    """The inner products of some sentences with the question [n], and with one another [n, n]."""
    size = len(within)
    cosine = inner_products(texts, question[None], within, np.zeros(size, np.int64))
    return cosine, inner_products(texts, texts, np.repeat(within, size), np.tile(within, size)).reshape(size, size)
