"""Synonyms of many names by an inverted file: a name is compared with names of near lists."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from harness.core.arrays import Float32Array, Int64Array, distinct, evenly
from harness.core.threads import available, map_threads
from harness.graph.synonym import NOBODY, PART, SLACK, Pairs, bounds, symmetric
from harness.model.encoder import pair_cosines
from harness.retriever.search.exact import inner_products
from harness.work.shared_rows import Columns, cut

LISTS = 4
"""Number of lists, in square roots of the number of names."""
AIM = 0.99
"""Share of a sample's synonyms that are in searched lists."""
LEARNT = 2000
"""Names of the sample that determines how many lists are searched."""
CHECKED = 1000
"""Names of another sample, which measures the recall."""
BLOCK = 1 << 12
"""Names whose lists are computed together."""
ROUNDING = np.float32(1e-5)
"""Bound of the error of float32 products of vectors of length 1."""
CELLS = 1 << 26
"""Largest number of simultaneous products: 256 MiB of float32. A list may have thousands
of names.
"""

Float32 = Float32Array


def approximate_synonyms(
    vectors: Float32, threshold: float
) -> tuple[sp.csr_array, dict[str, object]]:
    """Return ``harness.graph.synonym.synonyms`` up to some missed pairs, and ``index``, ``recall``,
    ``names``.

    ``LISTS`` sqrt(E) evenly chosen names are the centres of lists, and a name x is in the list of
    the centre a(x) of greatest <x, c>. It is compared with the names of all lists with <x, c> >=
    <x, a(x)> - margin; the margin is the least that holds ``AIM`` of the synonyms of a sample of
    names. Work grows with E^1.5. No edge is false, and each has exactly the cosine of the exact
    search. ``recall`` is the share of the exact search's edges that is found, of ``names`` names of
    another sample.

    Args:
        vectors: float32[E, d] of length 1.
        threshold: least cosine.
    """
    size = len(vectors)
    centres = np.ascontiguousarray(vectors[evenly(size, round(LISTS * math.sqrt(size)))])
    index = Lists(vectors, centres, threshold)
    codes = distinct(
        np.concatenate([np.empty(0, np.int64), *(i * size + j for i, j in index.pairs())])
    )
    i, j = codes // max(size, 1), codes % max(size, 1)
    edges = symmetric(i, j, inner_products(vectors, vectors, j, i), threshold, size)
    return edges, {"index": f"IVF{len(centres)}", **synonym_recall(edges, vectors, threshold)}


def synonym_recall(edges: sp.csr_array, vectors: Float32, threshold: float) -> dict[str, float]:
    """Return ``recall``, the share of the exact search's edges in ``edges``, of ``names`` evenly
    chosen names.
    """
    chosen = evenly(len(vectors), CHECKED)
    exact = len(compare_some(vectors, chosen, threshold)[0])
    mine = sp.coo_array(edges[chosen])
    inside = np.isin(mine.col, chosen) & (
        mine.col < chosen[mine.row]
    )  # an edge within the sample is there twice
    return {
        "recall": round((mine.nnz - int(inside.sum())) / exact, 4) if exact else 1.0,
        "names": len(chosen),
    }


class Lists:
    """The lists of an inverted file. The result does not depend on the number of threads."""

    def __init__(self, vectors: Float32, centres: Float32, threshold: float) -> None:
        self.vectors, self.centres, self.threshold = vectors, centres, threshold

    def pairs(self) -> Iterator[Pairs]:
        """Yield int64[n] i and int64[n] j, i < j, whose cosine may reach the threshold; some pairs
        twice.
        """
        from threadpoolctl import threadpool_limits

        if not len(self.vectors):
            return
        sample = self.sample()
        with threadpool_limits(1):
            margin = self.margin(*sample)
            starts = range(0, len(self.vectors), BLOCK)
            blocks = list(
                map_threads(lambda first: self.searched(first, margin), starts, available())
            )
            list_of, rows, columns = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
            count = len(self.centres)
            members, asking = _groups(list_of, count), _groups(columns, count)
            short, least = bounds(self.vectors), np.float32(self.threshold - SLACK)

            def compared(place: int) -> Pairs:
                mine, near_pairs = members[place], [NOBODY]
                for part in cut(len(asking[place]), max(1, CELLS // max(1, len(mine)))):
                    theirs = rows[asking[place][part]]
                    i, j = np.nonzero(short[theirs] @ short[mine].T >= least)
                    left, right = theirs[i], mine[j]
                    near = pair_cosines(self.vectors, left, self.vectors, right) >= least
                    near_pairs.append((left[near], right[near]))
                i, j = (np.concatenate(column) for column in zip(*near_pairs, strict=True))
                once = (list_of[i] != place) | (i < j)  # two names of one list meet twice
                return np.minimum(i, j)[once], np.maximum(i, j)[once]

            yield from map_threads(compared, range(count), available())

    def sample(self) -> Pairs:
        """Return synonyms i, j of names between the measured ones."""
        size = len(self.vectors)
        between = np.unique(np.minimum(evenly(size, LEARNT) + size // (3 * LEARNT), size - 1))
        i, j, _ = compare_some(self.vectors, between, self.threshold)
        chosen = evenly(len(i), 50 * LEARNT)
        return i[chosen], j[chosen]

    def margin(self, i: Int64Array, j: Int64Array) -> np.float32:
        """Return the least margin that holds ``AIM`` of these synonyms."""
        parts = [slice(first, first + BLOCK) for first in range(0, len(i), BLOCK)]
        missing = [
            np.minimum(self._short_of(i[part], j[part]), self._short_of(j[part], i[part]))
            for part in parts
        ]
        if not missing:
            return ROUNDING
        return np.float32(np.quantile(np.concatenate(missing), AIM, method="higher")) + ROUNDING

    def _short_of(self, i: Int64Array, j: Int64Array) -> Float32:
        """Return how much further from i the list of j is than the nearest list."""
        mine = self.vectors[i] @ self.centres.T
        theirs = (self.vectors[j] @ self.centres.T).argmax(axis=1)
        short: Float32 = mine.max(axis=1) - np.take_along_axis(mine, theirs[:, None], axis=1)[:, 0]
        return short

    def searched(self, first: int, margin: np.float32) -> tuple[Int64Array, ...]:
        """Return int64[b], the list of each name of a block, and int64[n] twice, names and searched
        lists.
        """
        products = self.vectors[first : first + BLOCK] @ self.centres.T
        nearest = products.argmax(axis=1)
        best = np.take_along_axis(products, nearest[:, None], axis=1)
        rows, columns = np.nonzero(products >= best - margin)
        return nearest, first + rows, columns


def compare_some(
    vectors: Float32, chosen: Int64Array, threshold: float
) -> tuple[Int64Array, Int64Array, Float32]:
    """Return each pair with a chosen row, once, whose cosine is >= threshold and > 0.

    The rule is that of ``synonyms``. Pairs are ordered by chosen row, then by the other.

    Args:
        vectors: float32[E, d].
        chosen: int64, rows.
        threshold: least cosine.

    Returns:
        int64[n], int64[n] and the cosines float32[n].
    """
    is_chosen = np.zeros(len(vectors), dtype=np.bool_)
    is_chosen[chosen] = True

    def compared(part: slice) -> Columns:
        ones = vectors[chosen[part]]
        blocks: list[Columns] = [
            (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
        ]
        for others in cut(
            len(vectors), max(1, CELLS // max(1, len(ones)))
        ):  # the vectors may lie on disk: one pass
            near, j = np.nonzero(ones @ vectors[others].T >= np.float32(threshold - SLACK))
            i, j = chosen[part][near], others.start + j
            once = (i != j) & (~is_chosen[j] | (i < j))
            i, j = i[once], j[once]
            exact = pair_cosines(vectors, np.minimum(i, j), vectors, np.maximum(i, j))
            keep = (exact >= threshold) & (exact > 0)
            blocks.append((i[keep], j[keep], exact[keep].astype(np.float32)))
        i, j, cosines = (np.concatenate(column) for column in zip(*blocks, strict=True))
        order = np.lexsort((j, i))
        return i[order], j[order], cosines[order]

    parts = [compared(part) for part in cut(len(chosen), PART)] or [compared(slice(0))]
    i, j, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return i, j, values


def _groups(labels: Int64Array, count: int) -> list[Int64Array]:
    """Return the places of each label 0 ... count - 1, ascending."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))
