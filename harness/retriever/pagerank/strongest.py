"""The strongest paths of a walk with restart, from its seeds to a passage."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

FAINT = 1e-12
"""Paths that carry less than this of a seed's weight are not looked for."""


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
