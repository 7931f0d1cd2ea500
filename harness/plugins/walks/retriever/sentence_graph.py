"""A graph of sentences and their entities, and a beam search over paths of sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import BoolArray, Float64Array, Int64Array
from harness.graph import Network
from harness.graph.extractor import Extraction
from harness.graph.network import count_matrix
from harness.plugins.mentions.retriever.mentions.pairs import expand_ranges
from harness.plugins.mentions.retriever.mentions.sentence import Sentences
from harness.plugins.walks.retriever.undirected import Undirected

Floats = Float64Array
Path = tuple[tuple[int, ...], float]
"""Sentences in order, and the worth of the path."""


@dataclass(frozen=True, eq=False)
class SentenceGraph:
    """The graph of S sentences, E entities and D passages.

    Attributes:
        sentences: the sentences.
        held: [S, E], 1 if a sentence mentions the entity or its passage has it as title.
        alike: [S, E], the same with synonyms.
        edges: [E + D, E + D], symmetric. Two entities: number of sentences that hold both, plus the
            cosine of synonyms. An entity and a passage that names it or has it as title: 1.
    """

    sentences: Sentences
    held: sp.csr_array
    alike: sp.csr_array
    edges: sp.csr_array

    @classmethod
    def of(cls, network: Network, extraction: Extraction, benchmark: Benchmark) -> SentenceGraph:
        """Return the graph of the mentions in the passages."""
        sentences = Sentences.of(benchmark)
        titled = np.repeat(extraction.titled, np.diff(sentences.first))
        titled_rows = np.flatnonzero(titled >= 0)
        mentions = extraction.passages
        rows = np.concatenate([sentences.at(mentions.text, mentions.start), titled_rows])
        columns = np.concatenate([mentions.entity, titled[titled_rows]])
        held = count_matrix(rows, columns, (len(titled), len(extraction.names)))
        held.data = np.ones(held.nnz)
        both = held.T.tocsr() @ held
        both.setdiag(0)
        both.eliminate_zeros()
        both.sort_indices()
        alike = held @ (sp.eye_array(held.shape[1], format="csr") + network.synonym)
        return cls(
            sentences,
            held,
            alike,
            Undirected().graph(replace(network, relation=both)),
        )

    @property
    def entities(self) -> int:
        """The number of entities, E."""
        return int(self.held.shape[1])

    def within(self, passages: Int64Array) -> Int64Array:
        """Return the sentences of some passages."""
        first = self.sentences.first
        return expand_ranges(first[passages], np.diff(first)[passages])

    def joined(self, sentences: Int64Array) -> BoolArray:
        """Return bool[n, n], which of n sentences share an entity or hold synonyms."""
        shared: BoolArray = (self.alike[sentences] @ self.held[sentences].T).toarray() > 0
        return shared

    def around(self, passages: Int64Array) -> Int64Array:
        """Return the nodes of some passages and their neighbours: entities, then the passages as
        given.
        """
        nodes = self.entities + passages
        return np.concatenate([np.unique(self.edges[nodes].indices).astype(np.int64), nodes])


def grow_paths(
    cosine: Floats, gram: Floats, joined: BoolArray, width: int, length: int, parallel: int
) -> list[Path]:
    """Return all paths that a beam search kept at any length, of greatest worth first.

    worth(P) = sum_i <q, s_i> / sqrt(sum_ij <s_i, s_j>), with i and j in P. Of two paths with the
    same sentences, the one from the better start is kept.

    Args:
        cosine: float64[n], <q, s_i>.
        gram: float64[n, n], <s_i, s_j>.
        joined: bool[n, n], whether a path may continue from i to j.
        width: number of paths kept at each length.
        length: largest number of sentences of a path.
        parallel: number of sentences of greatest cosine with which every path may continue.
    """
    order = np.lexsort((np.arange(len(cosine)), -cosine))
    starts = order[:width].tolist()
    beam: list[Path] = [((sentence,), float(cosine[sentence])) for sentence in starts]
    paths = list(beam)
    for _ in range(1, length):
        longer: dict[frozenset[int], Path] = {}
        for path, _ in beam:
            inside, onward = np.array(path), joined[path[-1]].copy()
            onward[order[:parallel]] = True
            onward[inside] = False
            ends = np.flatnonzero(onward)
            square = (
                gram[np.ix_(inside, inside)].sum()
                + 2 * gram[np.ix_(inside, ends)].sum(axis=0)
                + gram[ends, ends]
            )
            worth = (cosine[inside].sum() + cosine[ends]) / np.sqrt(
                np.maximum(square, np.finfo(np.float64).tiny)
            )
            for end, value in zip(ends.tolist(), worth.tolist(), strict=True):
                longer.setdefault(frozenset((*path, end)), ((*path, end), value))
        beam = sorted(longer.values(), key=_rank)[:width]
        paths += beam
    return sorted(paths, key=_rank)


def _rank(path: Path) -> tuple[float, tuple[int, ...]]:
    return -path[1], path[0]


def weigh_entities(paths: list[Path], held: sp.csr_array, best: int, count: int) -> Floats:
    """Return float64[E], the entities' weights at the start of a walk.

    Of the ``best`` first paths, the ``count`` entities of greatest sum of worths (once for each
    sentence that holds the entity) get the greatest of their worths, divided by the greatest of
    all. The same is done for all paths of one sentence, and an entity has the greater value.

    Args:
        paths: paths, best first.
        held: [n, E], the entities of the n sentences.
        best: number of paths.
        count: number of entities.
    """
    whole: Floats = np.zeros(held.shape[1])
    for chosen in (paths[:best], [path for path in paths if len(path[0]) == 1]):
        total, greatest = np.zeros_like(whole), np.zeros_like(whole)
        for path, worth in chosen:
            for sentence in path:
                entities = held.indices[slice(*held.indptr[sentence : sentence + 2])]
                total[entities] += worth
                greatest[entities] = np.maximum(greatest[entities], worth)
        strongest = np.lexsort((np.arange(len(total)), -total))[:count]
        if top := greatest[strongest].max(initial=0):
            whole[strongest] = np.maximum(whole[strongest], greatest[strongest] / top)
    return whole
