"""Clusters: queries that are linked by shared gold passages; the split that keeps them whole, and
folds of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FOLDS = 5
"""Of questions, for what learns from some and is scored on others."""


def clusters(gold: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[Q]: queries with the same number are linked by shared gold passages, directly or
    through others.

    gold: int32[Q, H], passage numbers, -1 for none. Numbers are counted by first appearance.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, places = np.nonzero(gold >= 0)
    passages = gold[rows, places].astype(np.int64) + len(gold)
    size = len(gold) + int(gold.max(initial=0)) + 1
    links = coo_array((np.ones(len(rows), dtype=np.int8), (rows, passages)), shape=(size, size))
    labels = connected_components(links, directed=False)[1][: len(gold)]
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number].astype(np.int64)


def cluster_names(query_ids: Sequence[str], gold: NDArray[np.int32]) -> list[str]:
    """The smallest query id of each query's cluster: by its MD5 a ``disjoint`` split places the
    whole cluster.
    """
    return smallest_ids(query_ids, clusters(gold))


def smallest_ids(query_ids: Sequence[str], labels: NDArray[np.int64]) -> list[str]:
    """The smallest id among the queries with the same label, for each query."""
    smallest: dict[int, str] = {}
    for label, name in zip(labels.tolist(), query_ids, strict=True):
        smallest[label] = min(name, smallest.get(label, name))
    return [smallest[label] for label in labels.tolist()]


def share_gold(gold: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[Q]: which queries of ``gold`` [Q, H] have a gold passage that a query of ``other`` has
    too.
    """
    return np.asarray(np.isin(gold, other[other >= 0]).any(axis=1))


def folds(names: Sequence[str], salt: str = "") -> NDArray[np.int64]:
    """int64[n]: the fold of each name, by the MD5 of salt and name: half of it, as its last bit is
    the split, modulo FOLDS. The protocol's own folds have no salt.
    """
    numbers = (
        int(hashlib.md5(f"{salt}{name}".encode(), usedforsecurity=False).hexdigest(), 16)
        for name in names
    )
    return np.fromiter(
        (number // 2 % FOLDS for number in numbers), dtype=np.int64, count=len(names)
    )
