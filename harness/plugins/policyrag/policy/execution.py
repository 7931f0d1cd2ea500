"""The execution of a policy: from questions to seeds, mass on entities, and scores of passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float32Array, Float64Array, Int32Array, Int64Array
from harness.graph import Graph
from harness.model.encoder import Encoder, embed
from harness.plugins.policyrag.policy.gate import FactCandidates
from harness.plugins.policyrag.policy.memory import TypedMemory, load_memory
from harness.plugins.policyrag.policy.policy import Policy
from harness.plugins.policyrag.policy.rerank import Rerank
from harness.plugins.policyrag.policy.seed import Seeds
from harness.retriever.pagerank.pagerank import Walks
from harness.retriever.search.seeds import link_entities, nearest_passages
from harness.work.store import Store

Floats = Float64Array
BLOCK = 64
"""Number of questions whose entities and passages are dense at a time."""
BONUSES = ("lambda_title", "lambda_cov", "lambda_path")


@dataclass(frozen=True, eq=False)
class PolicyStart:
    """The decisions of a policy before its walk, for all questions.

    Args:
        memory: the typed memory.
        named: [Q, E], how certainly a question names an entity.
        close: [Q, D], its nearest passages; rows sum to 1.
        candidates: the facts near questions.
        seeds: the phrase seeds.
        phrases: [Q, E], the weights of ``seeds``.
        restart: [Q, E + D].
        counts: for the manifest.
    """

    memory: TypedMemory
    named: sp.csr_array
    close: sp.csr_array
    candidates: FactCandidates
    seeds: Seeds
    phrases: sp.csr_array
    restart: sp.csr_array
    counts: Mapping[str, object]

    def take(self, queries: Int64Array) -> Self:
        """Return the start of some questions; ``candidates`` and ``seeds`` still hold all."""
        matrices = ("named", "close", "phrases", "restart")
        return replace(self, **{name: getattr(self, name)[queries] for name in matrices})

    def bonuses(self, docs: Int32Array, path: int, hub: float) -> dict[str, Floats]:
        """Return float64[Q, U] by name of weight: the phis of eq. 7 of passages int32[Q, U], -1 for
        none.
        """
        rerank = Rerank(path=path, hub=hub)
        bonuses = {name: np.zeros(docs.shape) for name in BONUSES}
        for first in range(0, len(docs), BLOCK):
            rows = slice(first, first + BLOCK)
            part, held = np.maximum(docs[rows], 0), docs[rows] >= 0
            phis = rerank.bonuses(self.memory, self.named[rows], self.phrases[rows])
            for name, phi in phis.items():
                bonuses[name][rows] = np.where(held, np.take_along_axis(phi, part, axis=1), 0.0)
        return bonuses


@dataclass(frozen=True, eq=False)
class ScoredBlock:
    """Questions ``first`` to ``first + B``, over all D passages.

    Args:
        first: number of the first question.
        values: float32[B, E + D], v of eq. 5.
        mass: float64[B, D], u.
        terms: float64[B, D] by name, in the order of addition: ``walk`` (u of eq. 6), then each
            ``lambda_...`` times its phi.
        score: their sum.
        iterations: of the walk.
        change: the walk's L1 error is (1 - a) / a x change.
    """

    first: int
    values: Float32Array
    mass: Floats
    terms: Mapping[str, Floats]
    score: Floats
    iterations: Int64Array
    change: Floats


def start(
    policy: Policy, graph: Graph, encoder: Encoder, benchmark: Benchmark, store: Store
) -> PolicyStart:
    """Seed and gate the questions."""
    memory = load_memory(graph, benchmark, store)
    network, _ = graph.build(benchmark, store)
    seed = policy.seed
    asked = graph.find_names(benchmark, store)
    entities, links = link_entities(network, asked, encoder, seed.link, store)
    named = sp.csr_array(entities, dtype=np.float64)
    named.data = np.minimum(named.data, 1.0)
    named.sort_indices()
    close = nearest_passages(benchmark, encoder, seed.passages, seed.sharpness, store)
    questions = embed(encoder, benchmark.questions, "question", store)
    names = embed(encoder, memory.names, "name", store)
    texts = [memory.facts.text(fact) for fact in range(len(memory.facts))]
    facts = embed(encoder, texts, "passage", store) if texts else questions[:0]
    candidates = policy.gate.ranked(memory, named, close, facts, questions)
    candidates, counts = policy.gate.decided(memory, candidates, benchmark.questions, store)
    seeds = seed.seeds(memory, named, candidates, names, questions)
    phrases = seeds.of(named.shape)
    count = np.diff(phrases.indptr)
    record = {
        "memory": memory.sizes(),
        "gate": dict(counts),
        **links,
        "phrase_seeds": int(count.sum()),
        "questions_without_phrase_seed": int((count == 0).sum()),
        "aliases_suppressed": int((seeds.alias_ok == 0).sum()),
    }
    return PolicyStart(
        memory, named, close, candidates, seeds, phrases, seed.restart(phrases, close), record
    )


def block_scorer(
    policy: Policy,
    started: PolicyStart,
    block: int = 64,
    threads: int | None = None,
    device: str = "cpu",
) -> Callable[[slice], Iterator[ScoredBlock]]:
    """Return a function that traverses, projects and reranks a slice of questions, block by block.

    Values that depend on the memory alone are computed once.
    """
    memory, walk = started.memory, policy.traverse
    held, norm, size = policy.project.held(memory), policy.project.norm(memory), len(memory.names)
    weights = {name: getattr(policy.rerank, name) for name in BONUSES}
    walks = Walks(
        walk.transition(memory), walk.alpha, walk.tolerance, walk.max_iter, block, threads, device
    )

    def scored(questions: slice) -> Iterator[ScoredBlock]:
        named, phrases = started.named[questions], started.phrases[questions]
        for part in walks(started.restart[questions]):
            rows = slice(part.first, part.first + part.values.shape[1])
            values = part.values.astype(np.float64)
            mass = np.ascontiguousarray((held @ values[:size] + values[size:]).T)
            bonuses = policy.rerank.bonuses(memory, named[rows], phrases[rows])
            terms = {
                "walk": mass / norm,
                **{name: weights[name] * bonuses[name] for name in BONUSES},
            }
            score = np.add.reduce([*terms.values()])
            yield ScoredBlock(
                part.first, part.values.T, mass, terms, score, part.iterations, part.change
            )

    return scored
