"""HippoRAG 2's scheme: Personalised PageRank from the triples or names nearest to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, Float64Array
from harness.core.artifact import Facts
from harness.core.errors import HarnessError, check_fields, one_of
from harness.core.identity import LATER
from harness.graph import Network
from harness.graph.extractor import Extraction
from harness.model.encoder import embed
from harness.plugins.llm.gate import FactGate, keep
from harness.plugins.walks.retriever.undirected import Undirected
from harness.retriever.ppr import PPR
from harness.retriever.search.exact import exact_search
from harness.retriever.search.seeds import link_entities
from harness.retriever.walk import normalize_rows, scale_rows
from harness.work.store import Store

LINKS = ("query_to_triple", "query_to_node", "ner_to_node")


@dataclass(frozen=True)
class HippoRAG(PPR):
    """PPR with other seeds, over the undirected graph (HippoRAG 2).

    An entity's weight is divided by the number of passages that mention it or have it as title.
    Passages get ``passage_weight`` times their cosine to the question, scaled over all passages to
    [0, 1]; the sum is scaled to 1. A question without a triple that passes starts from its passages
    alone. ``passages`` and ``sharpness`` of PPR are not used.

    Args:
        by: what a question is linked to. ``query_to_triple``: its ``nearest`` triples by cosine
            that pass; subject and object get the mean cosine of their triples. ``query_to_node``:
            its ``nearest`` names, with their cosine. ``ner_to_node``: the names in the question
            (``link``: by embedding if the graph does not hold them).
        nearest: number of triples or names, >= 1.
        recognised: least cosine of a triple that passes, -1 to 1. It replaces the paper's
            recognition memory, which is a language model.
        gate: a further decision on the ``nearest`` triples, such as the paper's language model, or
            None.
    """

    version = 6  # 6: a graph of the corpus alone; ner_to_node divides by titles, too
    walk: Undirected = field(default_factory=Undirected)  # type: ignore[assignment]
    passage_weight: float = 0.05
    by: str = "query_to_triple"
    nearest: int = 5
    recognised: float = 0.0
    gate: FactGate | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("lists.NAME.by", self.by, LINKS)
        check_fields("lists.NAME", self, nearest="whole [1, inf)", recognised="[-1, 1]")

    def start(
        self, benchmark: Benchmark, store: Store
    ) -> tuple[Network, Extraction, sp.csr_array, Facts]:
        """Return the graph, its extraction, the restart of every question [Q, E + D], and counts of
        links.
        """
        network, extraction = self.graph.build(benchmark, store)
        questions = embed(self.encoder, benchmark.questions, "question", store)
        facts: Facts
        if self.by == "ner_to_node":
            named = self.graph.find_names(benchmark, store)
            entities, facts = link_entities(network, named, self.encoder, self.link, store)
        else:
            if self.by == "query_to_triple":
                entities, facts = self._triples(extraction, benchmark.questions, questions, store)
            else:
                names = embed(self.encoder, network.names, "name", store)
                near, cosine = exact_search(names, questions, min(self.nearest, len(names)))
                rows = np.repeat(np.arange(len(questions)), near.shape[1])
                entries = (np.maximum(cosine, 0).ravel(), (rows, near.ravel()))
                shape = (len(questions), len(names))
                entities = sp.csr_array(entries, shape=shape)
                facts = {"linked": near.size}
        held = np.diff((network.mentions + network.about).indptr)
        entities = scale_rows(1 / np.maximum(held, 1), entities.T.tocsr()).T
        passages = embed(self.encoder, benchmark.passages, "passage", store)
        close = sp.csr_array(spread_cosines(passages, questions))
        seeds = normalize_rows(sp.hstack([entities, self.passage_weight * close], format="csr"))
        return network, extraction, seeds, facts

    def _triples(
        self,
        extraction: Extraction,
        asked: Sequence[str],
        questions: Float32Array,
        store: Store,
    ) -> tuple[Any, dict[str, object]]:
        """Return [Q, E], the mean cosine of the recognised triples that hold the entity, and
        counts.
        """
        triples, names = extraction.triples, extraction.names
        if not len(triples.subject):
            raise HarnessError(
                "retriever=hipporag links questions to triples, and the extractor found none; "
                "choose extractor=llm or "
                "openie_file, or lists.NAME.by=query_to_node"
            )
        parts = (triples.subject, triples.predicate, triples.object)
        distinct = [*dict.fromkeys(zip(*map(np.ndarray.tolist, parts), strict=True))]
        texts = [f"{names[s]} {triples.predicates[p]} {names[o]}" for s, p, o in distinct]
        vectors = embed(self.encoder, texts, "passage", store)
        near, cosine = exact_search(vectors, questions, min(self.nearest, len(texts)))
        passed = cosine >= max(self.recognised, np.finfo(np.float64).tiny)
        gated: Mapping[str, object] = {}
        if self.gate is not None:
            candidates = np.array(texts, dtype=object)[near].tolist()
            decided, gated = keep(self.gate, asked, candidates, store)
            passed &= decided.reshape(near.shape)
        query, place = np.nonzero(passed)
        ends = np.array([(s, o) for s, _, o in distinct])[near[query, place]]
        ends[ends[:, 0] == ends[:, 1], 1] = -1
        held = ends.ravel() >= 0
        at = np.repeat(query, 2)[held], ends.ravel()[held]
        values = np.repeat(cosine[passed], 2)[held]
        shape = (len(questions), len(names))
        total = sp.csr_array((values, at), shape=shape)
        total.data /= sp.csr_array((np.ones(len(values)), at), shape=shape).data
        facts: dict[str, object] = {
            "triples": len(texts),
            "recognised": int(passed.sum()),
            "not_recognised": int((~passed).sum()),
            "questions_without_triple": int((~passed.any(axis=1)).sum()),
        }
        return total, {**facts, "gate": gated} if gated else facts


def spread_cosines(passages: Float32Array, questions: Float32Array) -> Float64Array:
    """Return float64[Q, D], cosines with each row scaled to [0, 1]; 1 if all of a row are equal."""
    docs, cosine = exact_search(passages, questions, len(passages))
    low, high = cosine.min(axis=1, keepdims=True), cosine.max(axis=1, keepdims=True)
    share = np.divide(cosine - low, high - low, out=np.ones_like(cosine), where=high > low)
    result: Float64Array = np.empty(share.shape)
    np.put_along_axis(result, docs.astype(np.int64), share, axis=1)
    return result
