"""Boosted trees over features of documents, as plain lists that a lock can hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Float32Array, Float64Array, Int64Array
from harness.core.configuration.extras import need
from harness.core.errors import HarnessError, bounded, is_number, whole_number

Tree = list[list[float]]
"""A row per node: [column, threshold, left, right, value]; left is -1 in a leaf."""


def grow(
    rows: Float32Array,
    labels: BoolArray,
    *,
    trees: int,
    depth: int,
    rate: float,
    least: int,
) -> list[Tree]:
    """Return trees whose leaves sum to the log-odds of a label, up to a constant.

    scikit-learn's histogram boosting: each tree is a Newton step of the log loss, times ``rate``,
    over the features in 255 bins. The result does not depend on the number of threads.

    Args:
        rows: float32[n, F], features.
        labels: bool[n].
        trees: number of trees.
        depth: of each tree.
        rate: factor of each step.
        least: rows of a leaf.
    """
    from threadpoolctl import threadpool_limits

    ensemble = need("sklearn.ensemble", "reranker=relational", "mentions")
    forest = ensemble.HistGradientBoostingClassifier(
        max_iter=trees,
        max_depth=depth,
        max_leaf_nodes=None,
        learning_rate=rate,
        min_samples_leaf=least,
        early_stopping=False,
        random_state=0,
    )
    with threadpool_limits(1, "openmp"):  # folds run in parallel already
        grown = forest.fit(rows, labels)
    # there is no public name; a test sums the leaves
    return [_plain(tree.nodes) for (tree,) in grown._predictors]


def _plain(nodes: NDArray[np.void]) -> Tree:
    """Return a tree's nodes as rows; left is -1 in a leaf."""
    inner = nodes["is_leaf"] == 0
    left, right = (np.where(inner, nodes[side].astype(np.int64), -1) for side in ("left", "right"))
    threshold = np.where(inner, nodes["num_threshold"], 0.0)
    return as_rows(
        nodes["feature_idx"], threshold, left, right, np.where(inner, 0.0, nodes["value"])
    )


def as_rows(*columns: NDArray[Any]) -> Tree:
    """Return the columns of a tree's nodes as rows."""
    return [list(node) for node in zip(*map(np.ndarray.tolist, columns), strict=True)]


def check_growth(key: str, strategy: Any) -> None:
    """Raise HarnessError unless a strategy's knobs of ``grow`` are in bounds."""
    for name in ("trees", "least"):
        whole_number(f"{key}.{name}", getattr(strategy, name), 1)
    whole_number(f"{key}.depth", strategy.depth, 1, 6)
    bounded(f"{key}.rate", strategy.rate, 0, 1, open_low=True)


def is_list(value: Any) -> bool:
    """Return whether a value is a list with entries."""
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def check_trees(knob: str, trees: Any, columns: int) -> None:
    """Raise HarnessError unless these are trees as ``grow`` makes them, over ``columns`` columns.

    A row is [column, threshold, left, right, value], all finite; column, left and right are whole
    numbers. Children come after their parent; a leaf has left -1.
    """
    if not is_list(trees):
        raise HarnessError(f"{knob} = {str(trees)[:60]!r}, expected trees")
    for number, tree in enumerate(trees):
        nodes = tree if is_list(tree) else [None]
        for place, node in enumerate(nodes):
            if not _is_node(node, place, len(nodes), columns):
                raise HarnessError(
                    f"{knob}.{number}.{place} = {str(node)[:60]!r}, expected [column, threshold, "
                    "left, right, value], "
                    f"a column below {columns} and children that come after it in the tree"
                )


def _is_node(node: Any, place: int, nodes: int, columns: int) -> bool:
    if not is_list(node) or len(node) != 5 or not all(map(is_finite, node)):
        return False
    column, _, left, right, _ = node
    if not all(isinstance(value, int) for value in (column, left, right)):
        return False
    if left == -1:
        return bool(column < columns and right == -1)
    return bool(0 <= column < columns and place < min(left, right) and max(left, right) < nodes)


def add_leaves(rows: Float32Array, trees: Sequence[Sequence[Sequence[float]]]) -> Float64Array:
    """Return float64[...], the sum over trees, in order, of the leaf of each row
    float32[..., F].
    """
    start = np.cumsum([0, *map(len, trees)])
    column, threshold, left, right, value = np.array([node for tree in trees for node in tree]).T
    links = np.stack([part.astype(np.int64) for part in (column, left, right)])
    sums = np.zeros(rows.shape[:-1])
    _walk(rows.reshape(-1, rows.shape[-1]), start, links, threshold, value, sums.reshape(-1))
    return sums


@numba.njit(cache=True, nogil=True)
def _walk(
    rows: Float32Array,
    start: Int64Array,
    links: Int64Array,
    threshold: Float64Array,
    value: Float64Array,
    sums: Float64Array,
) -> None:
    """Add the leaves of all trees to ``sums``.

    ``start`` has the first node of each tree, and the end; ``links`` has column, left and right of
    each node.
    """
    for row in range(len(rows)):
        for tree in range(len(start) - 1):
            node = start[tree]
            while links[1, node] >= 0:
                below = np.float64(rows[row, links[0, node]]) <= threshold[node]
                node = start[tree] + (links[1, node] if below else links[2, node])
            sums[row] += value[node]


def is_finite(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return is_number(value) and abs(value) < math.inf
