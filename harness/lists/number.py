"""Numbering documents: a document's number is the place of its id in the sorted ids of all lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

MANY = 1 << 20
"""From so many entries on it is worth to count ids instead of hashing and sorting them."""

LONGEST = 16
KEYS = 1 << 25
"""Counting takes ids of at most LONGEST bytes whose letters, place by place, combine to at most KEYS ids."""


def number(columns: Sequence[pa.ChunkedArray]) -> tuple[pa.StringArray, list[NDArray[np.int32]]]:
    """The distinct ids of all columns, ascending (bytewise), and for each column int32[N], the place of each id."""
    chunks = [chunk for column in columns for chunk in column.chunks]
    many = sum(map(len, chunks)) >= MANY
    ids, numbers = (_counted(chunks) if many else None) or _sorted(chunks)
    cuts = np.cumsum([len(column) for column in columns])[:-1]
    return ids, np.split(numbers, cuts)


def _sorted(chunks: Sequence[pa.StringArray]) -> tuple[pa.StringArray, NDArray[np.int32]]:
    encoded = pa.chunked_array(chunks, type=pa.string()).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    order = pc.array_sort_indices(encoded.dictionary)
    place = np.empty(len(order), dtype=np.int32)
    place[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    return encoded.dictionary.take(order), place[encoded.indices.to_numpy()]


def _counted(chunks: Sequence[pa.StringArray]) -> tuple[pa.StringArray, NDArray[np.int32]] | None:
    """The same by counting: each id is a number in a mixed radix, whose digits are the letters seen at each place.

    None when the ids are too long or too varied. A column of 21 million short ids takes half a second, not ten.
    """
    from harness.lists.kernel import mark, places_of, spell, survey

    texts = [letters_of(chunk) for chunk in chunks]
    seen = np.zeros((LONGEST, 257), dtype=np.bool_)  # letter 0 is the end of the id: a prefix comes first
    if not all(survey(offsets, data, seen) for offsets, data in texts):
        return None
    seen = seen[: 1 + int(np.flatnonzero(seen[:, 1:].any(axis=1)).max(initial=0))]
    radix = np.maximum(seen.sum(axis=1), 1)
    if np.log2(radix).sum() > np.log2(KEYS):
        return None
    digit = np.where(seen, seen.cumsum(axis=1) - 1, 0)
    held = np.zeros(int(radix.prod()), dtype=np.bool_)
    keys = [mark(offsets, data, digit, radix, held) for offsets, data in texts]
    place = places_of(held)
    letters = np.zeros_like(digit)
    for position, letter in np.argwhere(seen).tolist():
        letters[position, digit[position, letter]] = letter
    offsets, data = spell(np.flatnonzero(held), letters, radix)
    ids = pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))
    return ids, np.concatenate([place[found] for found in keys])


def letters_of(chunk: pa.StringArray) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """The offsets int32[N + 1] and the bytes of N texts, as Arrow keeps them."""
    _, offsets, data = chunk.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    return bounds, np.frombuffer(data, dtype=np.uint8) if data is not None else np.empty(0, dtype=np.uint8)
