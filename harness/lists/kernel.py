"""The loops over all entries: ids as numbers in a mixed radix (see harness.lists.number), and documents that repeat."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def survey(offsets: NDArray[np.int32], data: NDArray[np.uint8], seen: NDArray[np.bool_]) -> bool:
    """Note in ``seen`` [place, letter + 1] (0: the id has ended) what stands where; False if an id is too long."""
    longest = seen.shape[0]
    for entry in range(len(offsets) - 1):
        start, stop = offsets[entry], offsets[entry + 1]
        if stop - start > longest:
            return False
        for place in range(stop - start):
            seen[place, data[start + place] + 1] = True
        for place in range(stop - start, longest):
            seen[place, 0] = True
    return True


@numba.njit(cache=True, nogil=True)
def mark(
    offsets: NDArray[np.int32],
    data: NDArray[np.uint8],
    digit: NDArray[np.int64],
    radix: NDArray[np.int64],
    held: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """int32[N]: the key of each id, also noted in ``held``."""
    keys = np.empty(len(offsets) - 1, dtype=np.int32)
    for entry in range(len(keys)):
        start, stop = offsets[entry], offsets[entry + 1]
        key = np.int64(0)
        for place in range(len(radix)):
            letter = data[start + place] + 1 if start + place < stop else 0
            key = key * radix[place] + digit[place, letter]
        keys[entry] = key
        held[key] = True
    return keys


@numba.njit(cache=True, nogil=True)
def places_of(held: NDArray[np.bool_]) -> NDArray[np.int32]:
    """int32[K]: how many keys before each one are held, which is the place of a key that is."""
    places = np.empty(len(held), dtype=np.int32)
    before = 0
    for key in range(len(held)):
        places[key] = before
        before += held[key]
    return places


@numba.njit(cache=True, nogil=True)
def spell(
    keys: NDArray[np.int64], letters: NDArray[np.int64], radix: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """The ids of some keys, as Arrow's offsets int32[N + 1] and bytes."""
    longest = len(radix)
    offsets = np.zeros(len(keys) + 1, dtype=np.int32)
    data = np.empty(len(keys) * longest, dtype=np.uint8)
    word = np.empty(longest, dtype=np.int64)
    at = 0
    for number in range(len(keys)):
        key = keys[number]
        for place in range(longest - 1, -1, -1):
            word[place] = letters[place, key % radix[place]]
            key //= radix[place]
        for place in range(longest):
            if word[place] == 0:
                break
            data[at] = word[place] - 1
            at += 1
        offsets[number + 1] = at
    return offsets, data[:at].copy()


@numba.njit(cache=True, nogil=True)
def repeated(rows: NDArray[np.int64], docs: NDArray[np.int32], count: int) -> int:
    """The first entry whose document stands before it in the same list, -1 when there is none.

    rows: int64[N], the query of each entry, all of a query together.    docs: int32[N], below ``count``.
    """
    last = np.full(count, -1, dtype=np.int32)
    for entry in range(len(rows)):
        doc = docs[entry]
        if last[doc] == rows[entry]:
            return entry
        last[doc] = rows[entry]
    return -1
