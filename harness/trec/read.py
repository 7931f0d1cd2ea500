"""Reading a TREC run file in pieces: in one loop where the lines are plain, line by line where one needs a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.errors import HarnessError
from harness.lists.entries import Entries
from harness.trec.kernel import scan
from harness.trec.lines import FORM, line_of, parsed, texts

SHORTEST = len("q 0 d 1 1 s\n")
"""Bytes of the shortest line that is an entry; the last one may lack its end."""


def entries(path: Path) -> Iterator[Entries]:
    """The entries of a TREC run file, piece by piece; each line is checked by itself (see harness.trec)."""
    line, found = 1, False
    for text in texts(path):
        piece, lines = plain(text) or (parsed(path, line, text), len(text.splitlines()))
        if len(piece.rows):
            yield piece
            found = True
        line += lines
    if not found:
        raise HarnessError(f"{path}: the file is empty; a TREC run has a line `{FORM}` an entry")


def place(path: Path, entry: int) -> str:
    """Where an entry of the file stands, for messages."""
    return f"{path}:{line_of(path, entry)}"


def plain(text: bytes) -> tuple[Entries, int] | None:
    """The entries of some lines, and their number; None when one is not plain: six words and their gaps, in UTF-8."""
    data = np.frombuffer(text, dtype=np.uint8)
    most = len(data) // SHORTEST + 2
    if not text.isascii() and not _decodes(text):
        return None
    queries, rows = np.empty((most, 2), np.int32), np.empty(most, np.int32)
    offsets, docs = np.empty(most, np.int32), np.empty(len(data), np.uint8)
    ranks, scores = np.empty(most, np.int64), np.empty(most, np.float64)
    long, starts, digits = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(len(data), np.uint8)
    count, blocks, many, lines = scan(data, queries, rows, offsets, docs, ranks, scores, long, starts, digits)
    if count < 0:
        return None
    try:
        scores[long[:many]] = pc.cast(_strings(starts[: many + 1], digits), pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    named = pa.array([text[begin:end] for begin, end in queries[:blocks].tolist()], pa.binary()).cast(pa.string())
    words = named.dictionary_encode()
    found = Entries(
        words.dictionary,
        words.indices.to_numpy()[rows[:count]],
        pa.chunked_array([_strings(offsets[: count + 1], docs)]),
        scores[:count].copy(),
        ranks[:count].astype(np.int32 if np.abs(ranks[:count]).max(initial=0) < 2**31 else np.int64),
    )
    return found, lines


def _decodes(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _strings(offsets: NDArray[np.int32], data: NDArray[np.uint8]) -> pa.StringArray:
    buffers = pa.py_buffer(offsets.copy()), pa.py_buffer(data[: offsets[-1]].copy())
    return pa.StringArray.from_buffers(len(offsets) - 1, *buffers)
