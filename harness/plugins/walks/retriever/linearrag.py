"""LinearRAG: entities activated through sentences, then PageRank over entities and passages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, Float64Array
from harness.core.artifact import Facts
from harness.core.errors import check_fields
from harness.graph import Graph
from harness.graph.extractor import Extraction
from harness.graph.network import count_matrix
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.plugins.walks.retriever.hipporag import spread_cosines
from harness.retriever.pagerank.walker import Walker
from harness.retriever.search.exact import inner_products
from harness.retriever.search.seeds import link_entities
from harness.retriever.walk import normalize_rows
from harness.run import Run
from harness.work.store import Store

Activation = dict[int, tuple[float, int]]


@dataclass(frozen=True)
class LinearRAG(Walker):
    """LinearRAG (Zhuang et al. 2025, arXiv 2510.10114), whose graph needs entities and sentences
    but no relations.

    Activation: an entity of the question has 1, or the cosine to its name (``link`` or more). An
    entity of activation ``threshold`` or more passes a(e) cos(q, s) to all entities of its
    ``sentences`` best unused sentences s, if that value reaches ``threshold``. This is repeated
    ``steps`` times; the activation a(e) is the sum.

    Restart: a(e) for an entity. A passage p has ``passage_weight`` (``ratio`` c(p) + ln(1 + sum
    over active entities of a'(e) ln(1 + mentions of e in p) / tier(e))), with c the cosine scaled
    to [0, 1] over all passages, a' the greatest value that e received in the step, and tier 1 for
    the question's entities and one more for each step.

    PageRank: undirected; the edge of an entity and a passage weighs the entity's share of the
    passage's mentions.

    Different from the paper: entities are those of the graph's extractor, and titles count as
    mentions. Neighbouring passages of a document have no edge, since these corpora have no such
    order. A question without a known entity starts from its passages alone.
    """

    version = 5  # 5: a question's names are linked to a graph of the corpus alone
    graph: Graph
    encoder: Encoder
    link: float | None = 0.7
    sentences: int = 1
    threshold: float = 0.5
    steps: int = 2
    ratio: float = 1.5
    passage_weight: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(
            "lists.NAME",
            self,
            sentences="whole [0, inf)",
            steps="whole [0, inf)",
            ratio="[0, inf)",
            passage_weight="[0, inf)",
            threshold="[0, 1]",
            link="[0, 1] or null",
        )

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Activate question by question, then walk from all restarts."""
        network, extraction = self.graph.build(benchmark, store)
        names = self.graph.find_names(benchmark, store)
        linked, facts = link_entities(network, names, self.encoder, self.link, store)
        questions = embed(self.encoder, benchmark.questions, "question", store)
        passages = embed(self.encoder, benchmark.passages, "passage", store)
        joined = Joined.of(self.encoder, benchmark, extraction, store)
        counts = network.mentions + network.about

        rows, held, values = list[int](), list[int](), list[float]()
        bonus = np.zeros((len(questions), len(passages)))
        for query in range(len(questions)):
            start = slice(*linked.indptr[query : query + 2])
            activations = np.minimum(linked.data[start], 1.0).tolist()
            seeds = dict(zip(linked.indices[start].tolist(), activations, strict=True))
            total, last = self.activate(joined, questions, query, seeds)
            rows += [query] * len(total)
            held += list(total)
            values += total.values()
            bonus[query] = _bonus(counts, last)
        shape = (len(questions), len(network.names))
        entities = sp.csr_array((values, (rows, held)), shape=shape)
        weights = self.passage_weight * (self.ratio * spread_cosines(passages, questions) + bonus)
        restarts = normalize_rows(sp.hstack([entities, sp.csr_array(weights)], format="csr"))
        shares = normalize_rows(counts.T.tocsr())
        both = sp.csr_array(sp.block_array([[None, shares.T], [shares, None]]))
        run, walked = self.walk_lists(benchmark, self.walks(normalize_rows(both)), restarts)
        return run, {**facts, **walked}

    def activate(
        self, joined: Joined, questions: Float32Array, query: int, seeds: Mapping[int, float]
    ) -> tuple[dict[int, float], Activation]:
        """Return each entity's activation for one question, and its greatest share with
        its tier.
        """
        total, last = dict(seeds), {entity: (value, 1) for entity, value in seeds.items()}
        used: set[int] = set()
        current = dict(seeds)
        for tier in range(2, self.steps + 2):
            reached: dict[int, float] = {}
            for entity, value in sorted(current.items()):
                held = _columns(joined.by_entity, entity)
                free = [sentence for sentence in held if sentence not in used]
                if value < self.threshold or not free:
                    continue
                free_rows = np.array(free, dtype=np.int64)
                cosine = inner_products(
                    joined.vectors, questions, free_rows, np.full(len(free_rows), query)
                )
                for place in np.lexsort((free_rows, -cosine))[: self.sentences].tolist():
                    used.add(free[place])
                    share = value * float(cosine[place])
                    if share < self.threshold:
                        continue
                    for other in _columns(joined.by_sentence, free[place]):
                        total[other] = total.get(other, 0.0) + share
                        reached[other] = max(reached.get(other, 0.0), share)
            last |= {entity: (value, tier) for entity, value in reached.items()}
            current = reached
        return total, last


@dataclass(frozen=True, eq=False)
class Joined:
    """The entities of each sentence, the sentences of each entity, and vectors float32[S, d]."""

    vectors: Float32Array
    by_entity: sp.csr_array
    by_sentence: sp.csr_array

    @classmethod
    def of(
        cls, encoder: Encoder, benchmark: Benchmark, extraction: Extraction, store: Store
    ) -> Joined:
        """Return them for the mentions in the passages."""
        sentences, mentions = Sentences.of(benchmark), extraction.passages
        shape = (len(extraction.names), len(sentences.texts))
        at = sentences.at(mentions.text, mentions.start)
        held = count_matrix(mentions.entity.astype(np.int64), at, shape)
        vectors = embed(encoder, sentences.texts, "passage", store)
        back = held.T.tocsr()
        back.sort_indices()
        return cls(vectors, held, back)


def _columns(matrix: sp.csr_array, row: int) -> list[int]:
    columns: list[int] = matrix.indices[slice(*matrix.indptr[row : row + 2])].tolist()
    return columns


def _bonus(counts: sp.csr_array, last: Activation) -> Float64Array:
    """Return float64[D], ln(1 + sum of a' ln(1 + mentions) / tier)."""
    total = np.zeros(counts.shape[1])
    for entity, (value, tier) in sorted(last.items()):
        part = slice(*counts.indptr[entity : entity + 2])
        total[counts.indices[part]] += value * np.log1p(counts.data[part].astype(np.float64)) / tier
    return np.log1p(total)
