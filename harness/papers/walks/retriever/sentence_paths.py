"""A beam search over paths of sentences, and what the best of them name."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Path = tuple[tuple[int, ...], float]
"""Sentences in order, and what the path is worth."""


def grow_paths(
    cosine: Floats, gram: Floats, joined: NDArray[np.bool_], width: int, length: int, parallel: int
) -> list[Path]:
    """All that a beam of ``width`` paths kept at any length up to ``length``, of greatest worth first.

    cosine: [n], <q, s_i>. gram: [n, n], <s_i, s_j>. joined: [n, n], whether a path goes on from i to j; to the
    ``parallel`` sentences of greatest cosine every path goes on. Of two paths with the same sentences the one from the
    better start is kept. worth(P) = sum_i <q, s_i> / sqrt(sum_ij <s_i, s_j>), i and j in P.
    """
    order = np.lexsort((np.arange(len(cosine)), -cosine))
    beam: list[Path] = [((one,), float(cosine[one])) for one in order[:width].tolist()]
    found = list(beam)
    for _ in range(1, length):
        longer: dict[frozenset[int], Path] = {}
        for path, _ in beam:
            inside, onward = np.array(path), joined[path[-1]].copy()
            onward[order[:parallel]] = True
            onward[inside] = False
            ends = np.flatnonzero(onward)
            square = gram[np.ix_(inside, inside)].sum() + 2 * gram[np.ix_(inside, ends)].sum(axis=0) + gram[ends, ends]
            worth = (cosine[inside].sum() + cosine[ends]) / np.sqrt(np.maximum(square, np.finfo(np.float64).tiny))
            for end, value in zip(ends.tolist(), worth.tolist(), strict=True):
                longer.setdefault(frozenset((*path, end)), ((*path, end), value))
        beam = sorted(longer.values(), key=_rank)[:width]
        found += beam
    return sorted(found, key=_rank)


def _rank(path: Path) -> tuple[float, tuple[int, ...]]:
    return -path[1], path[0]


def weigh_entities(paths: list[Path], held: sp.csr_array, best: int, count: int) -> Floats:
    """float64[E]: what a walk starts with. held: [n, E], the entities of the n sentences that paths are of.

    Of the ``best`` first paths, the ``count`` entities of greatest sum of worths (once for each sentence that holds
    the entity) have the greatest of them, divided by the greatest of all; likewise of all paths of one sentence; an
    entity has the greater of the two.
    """
    whole: Floats = np.zeros(held.shape[1])
    for chosen in (paths[:best], [path for path in paths if len(path[0]) == 1]):
        total, greatest = np.zeros_like(whole), np.zeros_like(whole)
        for path, worth in chosen:
            for sentence in path:
                entities = held.indices[slice(*held.indptr[sentence : sentence + 2])]
                total[entities] += worth
                greatest[entities] = np.maximum(greatest[entities], worth)
        kept = np.lexsort((np.arange(len(total)), -total))[:count]
        if top := greatest[kept].max(initial=0):
            whole[kept] = np.maximum(whole[kept], greatest[kept] / top)
    return whole
