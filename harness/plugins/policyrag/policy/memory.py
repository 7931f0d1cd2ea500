"""The typed memory: entities and passages, joined by separate families of edges; read-only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array, Int32Array, Int64Array
from harness.core.identity import identity
from harness.graph import Graph, Network
from harness.plugins.policyrag.policy.fact import Facts, make_facts
from harness.retriever.walk import normalize_rows
from harness.work.store import Store

VERSION = 3  # 3: a line break ends a sentence after any stop


@dataclass(frozen=True, eq=False)
class TypedMemory:
    """The read-only memory of E entities and D passages.

    The operators ``relation`` (A_r), ``synonym`` (A_s), ``onward`` (T_E->P) and ``back`` (T_P->E)
    are row-stochastic; a row without an edge is empty. ``relation`` and ``synonym`` are
    proportional to ``joined`` and ``alike``.

    Args:
        names: of the entities.
        titled: int32[D], the entity that is a passage's title, or -1.
        context: [E, D], B of the paper: 1 if the passage mentions the entity or has it as title.
        joined: [E, E], number of passages with a fact that joins two entities.
        alike: [E, E], the cosines of synonyms.
        length: float64[D], words of a passage over the mean of all.
        facts: the statements of relation edges.
    """

    names: Sequence[str]
    titled: Int32Array
    context: sp.csr_array
    joined: sp.csr_array
    alike: sp.csr_array
    length: Float64Array
    facts: Facts

    @cached_property
    def relation(self) -> sp.csr_array:
        """[E, E], A_r."""
        return freeze(normalize_rows(self.joined))

    @cached_property
    def synonym(self) -> sp.csr_array:
        """[E, E], A_s."""
        return freeze(normalize_rows(self.alike))

    @cached_property
    def onward(self) -> sp.csr_array:
        """[E, D], T_E->P."""
        return freeze(normalize_rows(self.context))

    @cached_property
    def back(self) -> sp.csr_array:
        """[D, E], T_P->E."""
        return freeze(normalize_rows(sp.csr_array(self.context.T)))

    @cached_property
    def frequency(self) -> Int64Array:
        """int64[E], number of passages that hold an entity, >= 1."""
        return np.asarray(np.maximum(np.diff(self.context.indptr), 1), dtype=np.int64)

    @cached_property
    def breadth(self) -> Int64Array:
        """int64[E], number of passages with the name as title, or of its synonyms, whichever is
        greater.
        """
        titles = np.bincount(self.titled[self.titled >= 0], minlength=len(self.names))
        return np.asarray(np.maximum(titles, np.diff(self.alike.indptr)), dtype=np.int64)

    @cached_property
    def ipf(self) -> Float64Array:
        """float64[D], sum over a passage's entities of ln(1 + D / passages that hold it), over the
        mean.

        The paper says only that IPF(p) "denotes specificity" and that dividing by it corrects the
        frequency bias of the projection, which adds up over all mentions of a passage. A mean over
        its entities would favour passages of generic ones, so it is the sum here. A passage without
        entities has 1.
        """
        rare = np.log1p(self.context.shape[1] / self.frequency)
        total = np.asarray(self.context.T @ rare)
        return np.where(total > 0, total / (total[total > 0].mean() if total.any() else 1.0), 1.0)

    def sizes(self) -> dict[str, object]:
        """Return the numbers of entities, passages, facts, and edges by family, each
        counted once.
        """
        return {
            "entities": len(self.names),
            "passages": len(self.titled),
            "facts": len(self.facts),
            "edges": {
                "context": int(self.context.nnz),
                "joined": int(self.joined.nnz) // 2,
                "alike": int(self.alike.nnz) // 2,
            },
        }


def freeze(matrix: sp.csr_array) -> sp.csr_array:
    """Return the matrix with ascending indices and read-only arrays."""
    matrix.sort_indices()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.setflags(write=False)
    return matrix


def compile_memory(network: Network, titled: Int32Array, facts: Facts) -> TypedMemory:
    """Return the memory of a graph, of its passages' titles and of their facts."""
    context = sp.csr_array(network.mentions + network.about, dtype=np.float64)
    context.data[:] = 1
    alike = sp.csr_array(network.synonym, dtype=np.float64)
    mean = facts.words.sum() / max(len(titled), 1)
    length = np.maximum(facts.words, 1) / max(mean, 1)
    for array in (titled, length):
        array.setflags(write=False)
    joined = facts.joined(len(network.names))
    return TypedMemory(
        network.names, titled, freeze(context), freeze(joined), freeze(alike), length, facts
    )


def load_memory(graph: Graph, benchmark: Benchmark, store: Store) -> TypedMemory:
    """Return the memory of a benchmark under a graph. Its facts are stored."""
    network, extraction = graph.build(benchmark, store)

    def build(folder: Path) -> Mapping[str, object]:
        facts = make_facts(extraction, benchmark)
        facts.save(folder)
        return {"facts": len(facts)}

    config = {"graph": identity(graph), "version": VERSION}
    stored = store.get("memory", config, {"corpus": benchmark.corpus_sha256}, build)
    return compile_memory(network, extraction.titled, Facts.load(stored.path))
