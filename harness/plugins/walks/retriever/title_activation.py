"""Spreading activation over literal title mentions, from the nearest passages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.errors import check_fields, one_of
from harness.graph.extractor import Extractor, extract
from harness.model.encoder import Encoder, embed
from harness.plugins.mentions.retriever.mention_walk import title_edges
from harness.plugins.mentions.retriever.mentions.pairs import (
    Pairs,
    Values,
    cosines,
    follow_edges,
    keep_greatest,
)
from harness.retriever.search.exact import exact_search
from harness.run import Run
from harness.work.store import Store


@dataclass(frozen=True)
class TitleActivation:
    """Spreading activation along the edges "this text names that title".

    Every passage begins with a(p) = max(0, cos(q, p)). The ``passages`` nearest fire first. In each
    of ``steps`` steps a reached passage of activation ``threshold`` or more fires once: a(c) = a(c)
    + sum over the p that fire and lead to c of decay gate(q, c) a(p). The score is a; a list holds
    the nearest and the reached passages.

    Spreading activation is by Collins and Loftus (1975), its use for questions over documents by
    Pavlovic et al. (SA-RAG, arXiv 2512.15922), the gate by Makarov and Glybovets (arXiv
    2606.30133). Both use graphs that a language model extracted.

    Args:
        passages: number of nearest passages, >= 1.
        steps: >= 0.
        decay: in [0, 1].
        threshold: in [0, 1].
        gate: ``cosine``, max(0, cos(q, c)), so that the question counts at each step; ``none``, 1.
        direction: ``out``, ``in`` or ``both``.
    """

    version = 1
    extractor: Extractor
    encoder: Encoder
    passages: int = 5
    steps: int = 2
    decay: float = 0.85
    threshold: float = 0.1
    gate: str = "cosine"
    direction: str = "out"

    def __post_init__(self) -> None:
        check_fields(
            "lists.NAME",
            self,
            passages="whole [1, inf)",
            steps="whole [0, inf)",
            decay="[0, 1]",
            threshold="[0, 1]",
        )
        one_of("lists.NAME.gate", self.gate, ("cosine", "none"))
        one_of("lists.NAME.direction", self.direction, ("out", "in", "both"))

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Activate all questions together, step by step."""
        edges = title_edges(extract(self.extractor, benchmark, store), self.direction)
        passages = np.asarray(embed(self.encoder, benchmark.passages, "passage", store))
        questions = np.asarray(embed(self.encoder, benchmark.questions, "question", store))
        near, cosine = exact_search(passages, questions, self.passages)
        pairs = (near + len(passages) * np.arange(len(near))[:, None]).ravel()
        active, value = keep_greatest(pairs, np.maximum(cosine.ravel(), 0.0))
        fired, counts = np.empty(0, np.int64), []
        for _ in range(self.steps):
            ready = (value >= self.threshold) & ~np.isin(active, fired)
            counts.append(int(ready.sum()))
            ends, carried = follow_edges(active[ready], value[ready], edges)
            fired = np.concatenate([fired, active[ready]])
            end_cosine = np.maximum(cosines(passages, questions, ends), 0.0)
            new, first = np.unique(ends, return_index=True)
            fresh = ~np.isin(new, active)
            active = np.concatenate([active, new[fresh]])
            value = np.concatenate([value, end_cosine[first[fresh]]])
            passed = end_cosine if self.gate == "cosine" else 1.0
            active, value = _add(active, value, ends, self.decay * carried * passed)
        rows, docs = np.divmod(active, len(passages))
        run = Run.of(benchmark.query_ids, benchmark.doc_ids, rows, docs, value)
        return run, {"edges": edges.nnz, "fired": counts}


def _add(active: Pairs, value: Values, ends: Pairs, more: Values) -> tuple[Pairs, Values]:
    """Return each pair once, ascending, with the sum of its values in their order."""
    pairs, values = np.concatenate([active, ends]), np.concatenate([value, more])
    distinct, place = np.unique(pairs, return_inverse=True)
    total = np.zeros(len(distinct))
    np.add.at(total, place, values)
    return distinct, total
