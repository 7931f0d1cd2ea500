"""Why a passage is where it is in a list: the seeds of one question, and the strongest paths from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.work.store import Store

FAINT = 1e-12
"""Paths that carry less than this of a seed's weight are not looked for."""


@dataclass(frozen=True, order=True)
class Node:
    """A passage (its number) or an entity (its name)."""

    entity: str = ""
    passage: int = -1

    @classmethod
    def of(cls, names: Sequence[str], number: int) -> Node:
        """The node of that number in a graph of these entities, which come first, and of passages."""
        return cls(entity=names[number]) if number < len(names) else cls(passage=number - len(names))


@dataclass(frozen=True)
class Path:
    """From a seed to a passage. links: what joins each node to the next. strength: what it adds to the score, or is."""

    nodes: tuple[Node, ...]
    links: tuple[str, ...]
    strength: float


@dataclass(frozen=True)
class Trail:
    """seeds: with their weights, greatest first. paths: by passage, strongest first. adds: whether strengths sum up to
    the score (a walk's mass) or the strongest path's is the score. record: what else there is to tell, tables by name,
    each a list of JSON objects with the same keys.
    """

    seeds: Sequence[tuple[Node, float]]
    paths: Mapping[int, Sequence[Path]]
    adds: bool
    record: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


@runtime_checkable
class Traced(Protocol):
    """A retriever that can say why."""

    def trace(self, benchmark: Benchmark, store: Store, query: int, docs: Sequence[int], count: int) -> Trail:
        """The seeds of the query (a number), and the ``count`` strongest paths to each passage from different seeds."""
        ...


def strongest_walks(
    transition: sp.csr_array, seeds: NDArray[np.float64], restart: float, target: int, count: int
) -> list[tuple[list[int], float]]:
    """The best path from each of ``count`` seeds to the node ``target``, strongest first: nodes, and strength.

    The mass that a path i_0, ..., i_n carries to its end is a s_(i_0) prod_k (1 - a) T[i_(k-1), i_k], a the restart
    probability; the sum over all paths is the PageRank. The best one is a shortest path under -ln((1 - a) T), found
    from the target backwards for all seeds at once (Dijkstra).
    """
    from scipy.sparse.csgraph import dijkstra

    started = np.flatnonzero(seeds)
    if restart >= 1:
        return [([target], float(seeds[target]))] if seeds[target] else []
    backward = sp.csr_array(transition.T)
    backward.data = -np.log((1 - restart) * backward.data)
    length, following = dijkstra(backward, indices=target, return_predecessors=True, limit=-np.log(FAINT))
    strength = restart * seeds[started] * np.exp(-length[started])
    order = np.lexsort((started, -strength))[:count]
    return [(_nodes(following, int(started[i])), float(strength[i])) for i in order if strength[i] > 0]


def _nodes(following: NDArray[np.int32], node: int) -> list[int]:
    nodes = [node]
    while following[nodes[-1]] >= 0:
        nodes.append(int(following[nodes[-1]]))
    return nodes
