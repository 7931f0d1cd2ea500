"""PropRAG: beam search over paths of sentences that share an entity, then PageRank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, Int64Array
from harness.core.artifact import Facts
from harness.core.errors import check_fields
from harness.graph import Graph
from harness.model.encoder import Encoder, embed
from harness.plugins.walks.retriever.hipporag import spread_cosines
from harness.plugins.walks.retriever.sentence_graph import (
    Floats,
    Path,
    SentenceGraph,
    grow_paths,
    weigh_entities,
)
from harness.retriever.pagerank.walker import Walker
from harness.retriever.search.exact import exact_search, inner_products
from harness.retriever.walk import normalize_rows
from harness.run import Run
from harness.work.store import Store

Numbers = Int64Array


@dataclass(frozen=True)
class Beam(Walker):
    """PropRAG (Wang and Han 2025, arXiv 2504.18070) with sentences as its propositions and without
    a language model.

    Graph: entities of one sentence are joined (weight: number of sentences that hold both),
    synonyms by their cosine, and a passage and its entities by 1. A sentence holds the entities
    that it mentions and the entity of its passage's title.

    - 1. The ``near`` sentences of greatest cosine name ``entities`` entities (greatest sum of
      cosines), each a seed of weight 1. A passage is a seed of weight ``passage_weight`` c(p), with
      c the cosine scaled to [0, 1] over all passages. A walk from these seeds with
      ``first_restart`` selects the ``focus`` best passages.
    - 2. Among their sentences, paths grow from the ``width`` nearest, up to ``length`` sentences. A
      path continues with a sentence that shares an entity or a synonym with its last one, or with
      one of the ``parallel`` nearest; the ``width`` best paths of each length are kept. worth(path)
      = cos(q, mean of its sentences' vectors) = sum_i <q, s_i> / sqrt(sum_ij <s_i, s_j>). A set of
      sentences is kept once.
    - 3. The ``best`` paths of any length give their ``seeds`` entities of greatest sum of worths
      the greatest of these worths, divided by the greatest of all. The ``width`` first sentences do
      the same, and the greater value counts. A walk with ``restart`` from these entities and the
      passages, in the graph of the focus alone, gives score = v(p). Other passages follow by the
      first walk u: u(p) times half the least v(p) > 0 of the focus.

    Different from the paper: there a language model writes the propositions, and the 40 best paths
    of each length are encoded as one text; here only the question is encoded. Edges count once.
    """

    version = 4  # 4: the first sweeps of a walk compute in float32
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
    passage_weight: float = 0.05
    restart: float = field(default=0.55, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(
            "lists.NAME",
            self,
            width="whole [1, inf)",
            length="whole [1, inf)",
            focus="whole [1, inf)",
            parallel="whole [0, inf)",
            best="whole [0, inf)",
            seeds="whole [0, inf)",
            near="whole [0, inf)",
            entities="whole [0, inf)",
            passage_weight="[0, inf)",
            first_restart="(0, 1]",
        )

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Run the first walk for all questions together, then the search question by question."""
        world = self.world(benchmark, store)
        none, searched = np.empty(0, np.int64), 0
        rows, docs, scores = [none], [none], [np.empty(0)]
        first = self._walk(world.graph.edges, world.starts, self.first_restart)
        for query, values in enumerate(first):
            reached = values[world.graph.entities :]
            focus = self.focused(world, query, reached)
            searched += len(focus.paths)
            inside = next(self._walk(focus.edges, focus.seeds, self.restart))[
                -len(focus.passages) :
            ]
            values = 0.5 * inside[inside > 0].min(initial=1.0) * reached
            values[focus.passages] = inside
            listed = np.union1d(focus.passages, np.flatnonzero(reached >= self.tolerance))
            rows.append(np.full(len(listed), query))
            docs.append(listed)
            scores.append(values[listed])
        columns = (np.concatenate(parts) for parts in (rows, docs, scores))
        return Run.of(benchmark.query_ids, benchmark.doc_ids, *columns), {"paths": searched}

    def world(self, benchmark: Benchmark, store: Store) -> World:
        """Return the data that all questions share. Vectors come from their artifacts."""
        network, extraction = self.graph.build(benchmark, store)
        graph = SentenceGraph.of(network, extraction, benchmark)
        texts = embed(self.encoder, graph.sentences.texts, "passage", store)
        questions = embed(self.encoder, benchmark.questions, "question", store)
        passages = embed(self.encoder, benchmark.passages, "passage", store)
        named = self._named(*exact_search(texts, questions, self.near), graph.held)
        close = sp.csr_array(self.passage_weight * spread_cosines(passages, questions))
        return World(graph, texts, questions, sp.hstack([named, close], format="csr"))

    def focused(self, world: World, query: int, reached: Floats) -> Focus:
        """Return the focus of a question, step 2, and the seeds of step 3.

        ``reached`` is float64[D], the values of the first walk.
        """
        graph = world.graph
        focus = np.sort(np.lexsort((np.arange(len(reached)), -reached))[: self.focus])
        within = graph.within(focus)
        cosine = inner_products(world.texts, world.questions, within, np.full(len(within), query))
        pairs = np.repeat(within, len(within)), np.tile(within, len(within))
        gram = inner_products(world.texts, world.texts, *pairs).reshape(len(within), len(within))
        paths = grow_paths(
            cosine, gram, graph.joined(within), self.width, self.length, self.parallel
        )
        nodes, start = graph.around(focus), world.starts[[query]].toarray()[0]
        start[: graph.entities] = weigh_entities(paths, graph.held[within], self.best, self.seeds)
        seeds = sp.csr_array(start[None, nodes])
        return Focus(focus, paths, graph.edges[nodes][:, nodes], seeds)

    def _named(self, near: Int64Array, cosine: Floats, held: sp.csr_array) -> sp.csr_array:
        """Return [Q, E], 1 for the entities from which a question starts."""
        rows = np.repeat(np.arange(len(near)), near.shape[1])
        shape = (len(near), held.shape[0])
        total = sp.csr_array((cosine.ravel(), (rows, near.ravel())), shape=shape) @ held
        rows, columns = total.tocoo().coords
        order = np.lexsort((columns, -total.data, rows))
        chosen = order[np.arange(len(order)) - total.indptr[rows] < self.entities]
        entries = (np.ones(len(chosen)), (rows[chosen], columns[chosen]))
        return sp.csr_array(entries, shape=total.shape)

    def _walk(self, edges: sp.csr_array, seeds: sp.csr_array, restart: float) -> Iterator[Floats]:
        """Yield the values of all nodes for each question."""
        walks = self.walks(normalize_rows(edges), restart)
        for part in walks(normalize_rows(seeds)):
            yield from part.values.T.astype(np.float64)


@dataclass(frozen=True, eq=False)
class World:
    """The data that all questions share. ``starts`` is [Q, E + D], the seeds of the first walk."""

    graph: SentenceGraph
    texts: Float32Array
    questions: Float32Array
    starts: sp.csr_array


@dataclass(frozen=True, eq=False)
class Focus:
    """The data of one question's second walk.

    It holds the passages, paths of their sentences, the graph of their entities, then passages, and
    the seeds [1, nodes].
    """

    passages: Numbers
    paths: list[Path]
    edges: sp.csr_array
    seeds: sp.csr_array
