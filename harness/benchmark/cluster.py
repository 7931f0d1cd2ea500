"""Clusters of queries that are linked by shared gold passages, and folds that keep them whole."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from harness.core.arrays import BoolArray, Int32Array, Int64Array

FOLDS = 5
"""Number of folds, for methods that learn from some questions and are scored on others."""


def clusters(gold: Int32Array) -> Int64Array:
    """Return int64[Q]: queries with the same number are linked by shared gold passages, directly or
    through others.

    Numbers are counted by first appearance.

    Args:
        gold: int32[Q, H], passage numbers, -1 for none.
    """
    rows, places = np.nonzero(gold >= 0)
    passages = gold[rows, places]
    labels = np.arange(len(gold))
    while True:  # the smallest number of a cluster spreads over its passages
        least = np.full(int(gold.max(initial=0)) + 1, len(gold))
        np.minimum.at(least, passages, labels[rows])
        spread = labels.copy()
        np.minimum.at(spread, rows, least[passages])
        np.minimum.at(spread, labels[rows], least[passages])
        spread = spread[spread]
        if np.array_equal(spread, labels):
            return np.unique(labels, return_inverse=True)[1].astype(np.int64)
        labels = spread


def cluster_names(query_ids: Sequence[str], gold: Int32Array) -> list[str]:
    """Return the smallest query id of each query's cluster. Its MD5 decides the side of a
    ``disjoint`` split.
    """
    return smallest_ids(query_ids, clusters(gold))


def smallest_ids(query_ids: Sequence[str], labels: Int64Array) -> list[str]:
    """Return, for each query, the smallest id among the queries with the same label."""
    smallest: dict[int, str] = {}
    for label, name in zip(labels.tolist(), query_ids, strict=True):
        smallest[label] = min(name, smallest.get(label, name))
    return [smallest[label] for label in labels.tolist()]


def share_gold(gold: Int32Array, other: Int32Array) -> BoolArray:
    """Return bool[Q], which queries of ``gold`` [Q, H] share a gold passage with a query of
    ``other``.
    """
    return np.asarray(np.isin(gold, other[other >= 0]).any(axis=1))


def folds(names: Sequence[str], salt: str = "") -> Int64Array:
    """Return int64[n], the fold of each name.

    It is half of the MD5 of salt and name (its last bit is the split), modulo FOLDS. The protocol's
    own folds have no salt.
    """
    numbers = (
        int(hashlib.md5(f"{salt}{name}".encode(), usedforsecurity=False).hexdigest(), 16)
        for name in names
    )
    return np.fromiter(
        (number // 2 % FOLDS for number in numbers), dtype=np.int64, count=len(names)
    )
