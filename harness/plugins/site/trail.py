"""The reasons for a passage's rank: seeds of a question, and the strongest paths from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.core.arrays import Float64Array
from harness.graph import Network
from harness.graph.extractor import Triples
from harness.retriever import Retriever
from harness.retriever.ppr import PPR
from harness.work.store import Store

FAINT = 1e-12
"""Paths that carry less than this share of a seed's weight are not looked for."""
SHOWN = 3
"""Number of predicates of two entities that are printed."""
Rows = Mapping[str, Sequence[Mapping[str, object]]]
"""Tables by name, each a list of JSON objects with the same keys."""


@dataclass(frozen=True, order=True)
class Node:
    """A passage (its number) or an entity (its name)."""

    entity: str = ""
    passage: int = -1

    @classmethod
    def of(cls, names: Sequence[str], number: int) -> Node:
        """Return the node of a number in a graph whose entities come before its passages."""
        if number < len(names):
            return cls(entity=names[number])
        return cls(passage=number - len(names))


@dataclass(frozen=True)
class Path:
    """A path from a seed to a passage.

    Args:
        nodes: its nodes.
        links: what joins each node to the next one.
        strength: its part of the passage's score.
    """

    nodes: tuple[Node, ...]
    links: tuple[str, ...]
    strength: float


@dataclass(frozen=True)
class Trail:
    """The seeds and paths of one question.

    Args:
        seeds: nodes with their weights, greatest first.
        paths: paths by passage, strongest first.
        record: further tables.
    """

    seeds: Sequence[tuple[Node, float]] = ()
    paths: Mapping[int, Sequence[Path]] = field(default_factory=dict)
    record: Rows = field(default_factory=dict)


Explain = Callable[[int, Sequence[int], int], Trail]
"""A function ``explain(query, docs, count)`` that returns the trail of a query (a number) with up
to ``count`` paths, from different seeds, to each of the passages ``docs``.
"""


@runtime_checkable
class Recording(Protocol):
    """A retriever that records its decisions."""

    def recorder(self, benchmark: Benchmark, store: Store) -> Callable[[int, Sequence[int]], Rows]:
        """Return a function that returns the record of a query and some passages."""
        ...


def explanation(retriever: Retriever, benchmark: Benchmark, store: Store) -> Explain | None:
    """Return what explains the retriever's ranks, or None. Work that questions share is done once.

    A walk (``ppr`` and its kinds) is explained by its paths, another retriever by its record.
    """
    if isinstance(retriever, PPR):
        network, extraction, seeds, _ = retriever.start(benchmark, store)
        transition = retriever.walk.transition(network)
        return functools.partial(
            _walk_trail, network, extraction.triples, seeds, transition, retriever.restart
        )
    if isinstance(retriever, Recording):
        record = retriever.recorder(benchmark, store)
        return lambda query, docs, count: Trail(record=record(query, docs))
    return None


def _walk_trail(
    network: Network,
    triples: Triples,
    seeds: sp.csr_array,
    transition: sp.csr_array,
    restart: float,
    query: int,
    docs: Sequence[int],
    count: int,
) -> Trail:
    weights, names = seeds[[query]].toarray()[0], network.names
    paths: dict[int, list[Path]] = {}
    for doc in docs:
        target = len(names) + doc
        paths[doc] = []
        for walk, strength in strongest_walks(transition, weights, restart, target, count):
            links = (_link(network, triples, *edge) for edge in pairwise(walk))
            nodes = (Node.of(names, number) for number in walk)
            paths[doc].append(Path(tuple(nodes), tuple(links), strength))
    order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
    return Trail([(Node.of(names, n), float(weights[n])) for n in order.tolist()], paths)


def strongest_walks(
    transition: sp.csr_array, seeds: Float64Array, restart: float, target: int, count: int
) -> Iterator[tuple[list[int], float]]:
    """Yield the best path from each of ``count`` seeds to the node ``target``, strongest first.

    The mass that a path i_0, ..., i_n carries to its end is a s_(i_0) prod_k (1 - a) T[i_(k-1),
    i_k], a the restart probability. The sum over all paths is the PageRank. The best path is a
    shortest path under -ln((1 - a) T), found from the target backwards for all seeds at once
    (Dijkstra).
    """
    from scipy.sparse.csgraph import dijkstra

    started = np.flatnonzero(seeds)
    backward = sp.csr_array(transition.T)
    with np.errstate(divide="ignore"):  # no edge carries mass if the restart is 1
        backward.data = -np.log((1 - restart) * backward.data)
    length, following = dijkstra(
        backward, indices=target, return_predecessors=True, limit=-np.log(FAINT)
    )
    strength = restart * seeds[started] * np.exp(-length[started])
    for place in np.lexsort((started, -strength))[:count].tolist():
        if strength[place] > 0:
            nodes = [int(started[place])]
            while following[nodes[-1]] >= 0:
                nodes.append(int(following[nodes[-1]]))
            yield nodes, float(strength[place])


def _link(network: Network, triples: Triples, node: int, other: int) -> str:
    """Return, in words, what joins a node to the next one."""
    size = len(network.names)
    if node < size and other < size:
        return ", ".join(_relations(network, triples, node, other))
    entity, passage = min(node, other), max(node, other) - size
    if node < size and network.about[entity, passage]:
        return "is the title of"
    kinds = [kind for kind, matrix in network.context.items() if matrix[entity, passage]]
    if not kinds:
        return "has the title"
    return f"{'is named in' if node < size else 'names'} ({', '.join(kinds)})"


def _relations(network: Network, triples: Triples, node: int, other: int) -> Iterator[str]:
    if network.relation[node, other]:
        ends = np.sort(np.stack([triples.subject, triples.object]), axis=0).T
        held = triples.predicate[(ends == sorted((node, other))).all(axis=1)]
        predicates = list(dict.fromkeys(triples.predicates[number] for number in held))
        yield "; ".join(predicates[:SHOWN]) + ("; ..." if len(predicates) > SHOWN else "")
    if network.synonym[node, other]:
        yield f"is like ({network.synonym[node, other]:.2f})"
