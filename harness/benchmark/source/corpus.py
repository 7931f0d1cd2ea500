"""A corpus as an Arrow table, read in batches, so that the whole file is never in memory as Python
objects.

Above ``HELD`` bytes the table is in a memory-mapped file without a name, which disappears when the
process ends in any way.
"""

from __future__ import annotations

import itertools
import mmap
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.benchmark.source.records import Record, check_record
from harness.core.errors import HarnessError
from harness.core.files import unwritable

PASSAGE = {"id": str, "title": str, "text": str}
BODY = ("title", "text")
"""A passage needs one of these. BEIR's corpora have titles without a text, and some of them are
gold.
"""
PLACE = "place"
SCHEMA = pa.schema([*((key, pa.string()) for key in PASSAGE), (PLACE, pa.int64())])
BATCH = 4096
"""Number of passages that are in memory as Python objects."""
HELD = 1 << 28
"""Bytes above which a corpus is kept in a file."""


@dataclass(frozen=True)
class Corpus:
    """A corpus.

    Attributes:
        path: the file that was read.
        table: ``id``, ``title``, ``text``, ascending by id.
    """

    path: Path
    table: pa.Table

    def numbers(self, names: Iterable[str]) -> Mapping[str, int]:
        """Return the number of each passage of these names that exists."""
        wanted = pa.array(sorted(set(names)), pa.string())
        in_wanted = pc.index_in(self.table["id"], value_set=wanted)
        places = np.flatnonzero(in_wanted.is_valid().to_numpy())
        return dict(
            zip(wanted.take(in_wanted.drop_null()).to_pylist(), places.tolist(), strict=True)
        )

    def passages(self) -> Iterator[tuple[str, str, str]]:
        """Yield id, title and text of each passage, a batch at a time."""
        for batch in self.table.to_batches(BATCH):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def read_corpus(
    path: Path,
    records: Iterable[tuple[int, Record]],
    unit: str = ":",
    scratch: Path | None = None,
) -> Corpus:
    """Return the passages ``id, title, text`` of a source, checked and sorted.

    Args:
        path: the file that is read, for messages.
        records: place and record of each passage.
        unit: text between path and place.
        scratch: folder for the file of a large corpus; None for memory.

    Raises:
        HarnessError: a record is wrong (names file, line and mend of the first one), or the folder
            has no room.
    """
    try:
        table = _collected(_batches(f"{path}{unit}", records), scratch)
        order = pc.sort_indices(table["id"])
        names = table["id"].take(order)
        same = pc.equal(names[1:], names[:-1]).combine_chunks()
        if len(twice := np.flatnonzero(same.to_numpy(zero_copy_only=False))):
            pairs = [table[PLACE].take(order[row : row + 2]).to_pylist() for row in twice.tolist()]
            first, later = min(pairs, key=lambda pair: pair[1])
            name = names[twice[[pair[1] for pair in pairs].index(later)].item()]
            raise HarnessError(
                f"{path}{unit}{later}: duplicate id {name}, first at {path}{unit}{first}; "
                "give each its own id"
            )
        rows = order.to_numpy().astype(np.int64)
        if not np.array_equal(rows, np.arange(len(rows))):
            table = _collected(_taken(table, rows), scratch)
    except OSError as error:
        if not (reason := unwritable(error)):
            raise
        raise HarnessError(
            f"{scratch}: no room to keep the corpus of {path} in ({reason}); free about "
            "twice its size, or set "
            "paths.runs=DIR"
        ) from error
    return Corpus(path, table.drop_columns([PLACE]))


def _batches(source: str, records: Iterable[tuple[int, Record]]) -> Iterator[pa.RecordBatch]:
    rest = iter(records)
    while chunk := list(itertools.islice(rest, BATCH)):
        for place, record in chunk:
            check_record(f"{source}{place}", record, PASSAGE, *BODY)
        rows = [{**record, PLACE: place} for place, record in chunk]
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def _taken(table: pa.Table, order: NDArray[np.integer]) -> Iterator[pa.RecordBatch]:
    """Yield the rows in this order in batches. ``Table.take`` would make one array of all."""
    batches = table.to_batches()
    starts = np.cumsum([0, *map(len, batches)])
    for first in range(0, len(order), BATCH):
        rows = order[first : first + BATCH]
        sources = np.searchsorted(starts, rows, side="right") - 1
        places = zip(sources.tolist(), (rows - starts[sources]).tolist(), strict=True)
        pieces = [batches[source].slice(row, 1) for source, row in places]
        yield from pa.Table.from_batches(pieces).combine_chunks().to_batches()


def _collected(batches: Iterable[pa.RecordBatch], scratch: Path | None) -> pa.Table:
    """Return a table of batches, in memory or in a file without a name below ``scratch``."""
    if scratch is not None:
        scratch.mkdir(parents=True, exist_ok=True)
    most = 0 if scratch is None else HELD  # 0: never in a file
    folder = None if scratch is None else str(scratch)
    with tempfile.SpooledTemporaryFile(most, dir=folder) as file:
        with pa.ipc.new_file(file, SCHEMA) as writer:
            for batch in batches:
                writer.write_batch(batch)
        size = file.tell()
        file.seek(0)
        in_file = 0 < most < size
        held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if in_file else file.read()
    return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(held))).read_all()
