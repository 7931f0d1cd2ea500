"""The strongest paths of a walk with restart from its seeds to a passage, and the edges between
their nodes in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float64Array, Int32Array
from harness.graph import Network
from harness.graph.extractor import Triples

FAINT = 1e-12
"""Paths that carry less than this share of a seed's weight are not looked for."""
SHOWN = 3
"""Number of predicates of two entities that are printed."""


def strongest_walks(
    transition: sp.csr_array, seeds: Float64Array, restart: float, target: int, count: int
) -> list[tuple[list[int], float]]:
    """Return the best path from each of ``count`` seeds to the node ``target``, strongest first.

    The mass that a path i_0, ..., i_n carries to its end is a s_(i_0) prod_k (1 - a) T[i_(k-1),
    i_k], a the restart probability. The sum over all paths is the PageRank. The best path is a
    shortest path under -ln((1 - a) T), found from the target backwards for all seeds at once
    (Dijkstra).

    Returns:
        The nodes and the strength of each path.
    """
    from scipy.sparse.csgraph import dijkstra

    started = np.flatnonzero(seeds)
    if restart >= 1:
        return [([target], float(seeds[target]))] if seeds[target] else []
    backward = sp.csr_array(transition.T)
    backward.data = -np.log((1 - restart) * backward.data)
    length, following = dijkstra(
        backward, indices=target, return_predecessors=True, limit=-np.log(FAINT)
    )
    strength = restart * seeds[started] * np.exp(-length[started])
    order = np.lexsort((started, -strength))[:count]
    return [
        (_nodes(following, int(started[i])), float(strength[i])) for i in order if strength[i] > 0
    ]


def _nodes(following: Int32Array, node: int) -> list[int]:
    nodes = [node]
    while following[nodes[-1]] >= 0:
        nodes.append(int(following[nodes[-1]]))
    return nodes


def name_edges(network: Network, triples: Triples, nodes: Sequence[int]) -> tuple[str, ...]:
    """Return, in words, what joins each node of a path to the next one."""
    return tuple(_bond(network, triples, one, other) for one, other in pairwise(nodes))


def _bond(network: Network, triples: Triples, one: int, other: int) -> str:
    size = len(network.names)
    if one < size and other < size:
        return _between(network, triples, one, other)
    entity, passage = min(one, other), max(one, other) - size
    titled = network.about[entity, passage]
    if one < size and titled:
        return "is the title of"
    kinds = [kind for kind, matrix in network.context.items() if matrix[entity, passage]]
    if not kinds:
        return "has the title"
    return f"{'is named in' if one < size else 'names'} ({', '.join(kinds)})"


def _between(network: Network, triples: Triples, one: int, other: int) -> str:
    words = []
    if network.relation[one, other]:
        either = ((triples.subject == one) & (triples.object == other)) | (
            (triples.subject == other) & (triples.object == one)
        )
        found = list(
            dict.fromkeys(triples.predicates[p] for p in triples.predicate[np.flatnonzero(either)])
        )
        words.append("; ".join(found[:SHOWN]) + ("; ..." if len(found) > SHOWN else ""))
    if network.synonym[one, other]:
        words.append(f"is like ({network.synonym[one, other]:.2f})")
    return ", ".join(words)
