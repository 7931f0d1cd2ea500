"""Personalised PageRank over the entity graph, from the entities and the passages near a
question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.artifact import Facts
from harness.core.configuration import extensions
from harness.core.errors import bounded, whole_number
from harness.core.identity import LATER, NO_RESULT
from harness.graph import Graph, Network
from harness.graph.extractor import Extraction
from harness.model.encoder import Encoder
from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.pagerank.walker import Walker
from harness.retriever.search.seeds import link_entities, nearest_passages
from harness.retriever.walk import Walk, normalize_rows
from harness.run import Run
from harness.work.store import Store

EXACT = 1_000_000
"""Number of nodes up to which solving for all of them is as fast as pushing."""
LEAST = 0.01
"""Share of the tolerance that a node may keep."""


NO_ENTITY = "questions that name no entity of the graph"
"""What is odd about a list if there are any: the nearest passages alone are seeds of their walk."""


@dataclass(frozen=True)
class PPR(Walker):
    """v = (1 - a) (T' v + m s) + a s, m the mass on dangling nodes, to (1 - a) / a x tolerance in
    L1 (``pagerank``).

    score(q, p) = v_p, rounded to multiples of that error, so that passages of equal mass tie. The
    list holds all passages with a mass of at least the tolerance, since less cannot be
    distinguished from none.

    The transition T (``walk``): a passage leads to the entities that it mentions, in proportion to
    the kind of mention and to 1 / (passages that mention it) ** specificity. An entity leads to the
    passages with its title, by ``walk.back`` to those that mention it, and by ``walk.relation`` and
    ``walk.synonym`` to other entities. The restart s has each of the question's entities with its
    specificity 1 / (passages that mention it), and the question's ``passages`` nearest passages
    with ``passage_weight`` exp(cosine / sharpness) / sum exp(cosine / sharpness). It is divided by
    its sum. So a question whose entities are mentioned everywhere relies on its passages.

    Attributes:
        graph: the graph.
        encoder: embeds passages, questions and names.
        walk: the weights of the transition.
        passage_weight: >= 0; .15 was chosen on the tune halves of ``fitted_on``. HippoRAG 2 has
            .05.
        passages: number of nearest passages.
        sharpness: > 0.
        link: smallest cosine to a name of the graph for a question's entity that is not in the
            graph; ``null`` for none.
        push: whether mass is pushed from the seeds on, instead of solving for all nodes, until no
            node has ``tolerance`` x ``LEAST`` left. ``largest_error`` of the facts bounds the L1
            error. ``null``: in graphs of more than ``EXACT`` nodes.
    """

    version = 6  # 6: names of questions are no nodes; a mass is rounded to its error
    fitted_on = ("2wikimultihopqa", "hotpotqa", "musique")
    graph: Graph
    encoder: Encoder
    walk: Walk = field(default_factory=Walk)
    passage_weight: float = 0.15
    passages: int = 20
    sharpness: float = 0.04
    link: float | None = 0.7
    block: int = field(default=16, metadata=NO_RESULT, kw_only=True)
    push: bool | None = field(default=None, metadata=LATER)

    def __post_init__(self) -> None:
        super().__post_init__()
        bounded("lists.NAME.passage_weight", self.passage_weight, 0)
        whole_number("lists.NAME.passages", self.passages, 0)
        bounded("lists.NAME.sharpness", self.sharpness, 0, open_low=True)
        if self.link is not None:
            bounded("lists.NAME.link", self.link, 0, 1)
        if self.push:
            self._pushes()

    def retrieve(self, benchmark: Benchmark, store: Store) -> tuple[Run, Facts]:
        """Return the passages that the walk reaches, by their mass."""
        network, _, seeds, facts = self.start(benchmark, store)
        first, size = len(network.names), len(benchmark.doc_ids)
        transition = self.walk.transition(network)
        pushed = (
            self.push if self.push is not None else first + size > EXACT and self.device == "cpu"
        )
        if pushed:
            least = self.tolerance * LEAST
            walks = self._pushes()(transition, self.restart, least, self.block, self.threads)
        else:
            walks = self.walks(transition, first=first)
        run, walked = self.walk_lists(benchmark, walks, seeds)
        if pushed:
            error = walked["largest_change"] * (1 - self.restart) / self.restart
            walked = {"pushes": walked["iterations"], "largest_error": error}
        return run, {
            **facts,
            "nodes": first + size,
            **walked,
            "questions_without_seeds": int((np.diff(seeds.indptr) == 0).sum()),
        }

    def _pushes(self) -> Callable[..., Walks]:
        value = "true" if self.push else f"null of more than {EXACT:,} nodes"
        asking = f"lists.NAME.push={value}"
        pushes: Callable[..., Walks] = extensions.load("walk", "push", asking).Pushes
        return pushes

    def start(
        self, benchmark: Benchmark, store: Store
    ) -> tuple[Network, Extraction, sp.csr_array, Facts]:
        """Return the graph, its extraction, the restart s of every question [Q, E + D], and counts
        of links.
        """
        network, extraction = self.graph.build(benchmark, store)
        names = self.graph.find_names(benchmark, store)
        entities, counts = link_entities(network, names, self.encoder, self.link, store)
        unnamed = int((np.diff(entities.indptr) == 0).sum())
        facts: dict[str, object] = {**counts, "odd": {NO_ENTITY: unnamed}}
        entities.data /= np.maximum(np.diff(network.mentions.indptr), 1)[entities.indices]
        close = nearest_passages(benchmark, self.encoder, self.passages, self.sharpness, store)
        seeds = normalize_rows(sp.hstack([entities, self.passage_weight * close], format="csr"))
        return network, extraction, seeds, facts
