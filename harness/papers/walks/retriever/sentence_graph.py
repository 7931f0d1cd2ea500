"""Sentences, the entities that they hold, and the graph that these make."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.graph import Network
from harness.graph.extractor import Extraction
from harness.graph.network import count_matrix
from harness.papers.walks.retriever.undirected import Undirected
from harness.retriever.mentions import Sentences, expand_ranges


@dataclass(frozen=True, eq=False)
class SentenceGraph:
    """S sentences, E entities, D passages.

    held: [S, E], 1 where a sentence mentions the entity, or its passage has it as title. alike: [S, E], the same with
    the synonyms of those. edges: [E + D, E + D], symmetric: of two entities the sentences that hold both, plus the
    cosine of synonyms; 1 of an entity and a passage that names it or has it as title.
    """

    sentences: Sentences
    held: sp.csr_array
    alike: sp.csr_array
    edges: sp.csr_array

    @classmethod
    def of(cls, network: Network, extraction: Extraction, benchmark: Benchmark) -> SentenceGraph:
        """From the mentions in the passages."""
        sentences = Sentences.of(benchmark)
        held = held_entities(extraction, sentences)
        alike = sp.csr_array(held @ (sp.eye_array(held.shape[1], format="csr") + network.synonym))
        return cls(sentences, held, alike, Undirected().graph(replace(network, relation=join_entities(held))))

    @property
    def entities(self) -> int:
        """E."""
        return int(self.held.shape[1])

    def within(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sentences of some passages."""
        first = self.sentences.first
        return expand_ranges(first[passages], np.diff(first)[passages])

    def joined(self, sentences: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[n, n]: which of n sentences share an entity, or hold synonyms."""
        shared: NDArray[np.bool_] = (self.alike[sentences] @ self.held[sentences].T).toarray() > 0
        return shared

    def around(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Some passages and the entities that they have an edge to, as nodes: entities first, passages as given."""
        nodes = self.entities + passages
        return np.concatenate([np.unique(self.edges[nodes].indices).astype(np.int64), nodes])


def held_entities(extraction: Extraction, sentences: Sentences) -> sp.csr_array:
    """[S, E], 1 where a sentence mentions the entity, or its passage has it as title."""
    titled = np.repeat(extraction.titled, np.diff(sentences.first))
    own = np.flatnonzero(titled >= 0)
    rows = np.concatenate([sentences.of_mentions(extraction.passages), own])
    columns = np.concatenate([extraction.passages.entity, titled[own]])
    held = count_matrix(rows, columns, (len(titled), len(extraction.names)))
    held.data = np.ones(held.nnz)
    return held


def join_entities(held: sp.csr_array) -> sp.csr_array:
    """[E, E]: the sentences that hold both; without self-loops."""
    joined = sp.csr_array(held.T.tocsr() @ held)
    joined.setdiag(0)
    joined.eliminate_zeros()
    joined.sort_indices()
    return joined
