"""The union of ranked lists: which documents a query's lists hold together, and where each list's entries stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

LAST = np.int64(2**63 - 1)


def union(
    indptrs: Sequence[NDArray[np.int64]], docs: Sequence[NDArray[np.int32]]
) -> tuple[NDArray[np.int32], list[NDArray[np.int64]]]:
    """int32[Q, U], each query's documents ascending, then -1; and for each list int64[N], where its entries stand.

    indptrs: int64[Q + 1], docs: int32[N] of each list, none twice in a query. Places are flat: those of [Q, U].ravel().
    """
    bounds = np.stack(list(indptrs))
    bounds = bounds + np.cumsum([0, *(len(own) for own in docs[:-1])])[:, None]
    entries = np.concatenate(list(docs)).astype(np.int32, copy=False)
    keys = np.full((bounds.shape[1] - 1, int(np.diff(bounds, axis=1).sum(axis=0).max(initial=0))), LAST)
    _gather(bounds, entries, keys)
    keys.sort(axis=1)  # NumPy's, with the processor's vector instructions, is several times faster than numba's
    merged = np.full(keys.shape, -1, dtype=np.int32)
    places = np.empty(len(entries), dtype=np.int64)
    width = _merge(keys, merged, places)
    for own in bounds:
        _shift(own, width, places)
    return np.ascontiguousarray(merged[:, :width]), [places[own[0] : own[-1]] for own in bounds]


@numba.njit(cache=True, nogil=True)
def _gather(bounds: Any, entries: Any, keys: Any) -> None:
    """Keys of a query's entries: the document, then the entry's number."""
    for query in range(len(keys)):
        size = 0
        for part in range(len(bounds)):
            for entry in range(bounds[part, query], bounds[part, query + 1]):
                keys[query, size] = (np.int64(entries[entry]) << 32) | entry
                size += 1


@numba.njit(cache=True, nogil=True)
def _merge(keys: Any, merged: Any, columns: Any) -> Any:
    """Fills the documents, and the column of each entry; returns how many columns are used."""
    width = 0
    for query in range(len(keys)):
        used = 0
        for key in keys[query]:
            if key == LAST:
                break
            doc = np.int32(key >> 32)
            if used == 0 or merged[query, used - 1] != doc:
                merged[query, used] = doc
                used += 1
            columns[key & 0xFFFFFFFF] = used - 1
        width = max(width, used)
    return width


@numba.njit(cache=True, nogil=True)
def _shift(bounds: Any, width: int, columns: Any) -> None:
    """Columns to flat places."""
    for query in range(len(bounds) - 1):
        for entry in range(bounds[query], bounds[query + 1]):
            columns[entry] += query * width
