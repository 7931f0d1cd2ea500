"""A file of ranked lists: read once, in pieces, and taken from by query, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.lists.entries import Entries, check_finite, check_ranks, runs_of
from harness.lists.number import letters_of
from harness.lists.shelf import Box, Shelf
from harness.run import Run

MEMORY = 1 << 26
"""Bytes of entries that each file keeps in memory; the others wait on the disk."""

BLOCK = 1 << 21
"""Entries of all lists that are worked on at once."""

NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Segments:
    """Consecutive entries of one query in one piece of a file, in the file's order: int64[S] each."""

    query: NDArray[np.int64]
    piece: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    def lengths(self) -> NDArray[np.int64]:
        """int64[S]: how many entries each holds."""
        return self.high - self.low

    def entries(self) -> NDArray[np.int64]:
        """The numbers, within their piece, of all entries."""
        lengths = self.lengths()
        return np.repeat(self.low - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())


@dataclass(frozen=True, eq=False)
class Piece:
    """Consecutive entries of a file. start: the number of the first.    offsets, letters: document ids, as in Arrow."""

    start: int
    offsets: Box
    letters: Box
    scores: Box
    ranks: Box | None

    @classmethod
    def put(cls, shelf: Shelf, found: Entries, start: int) -> Piece:
        """Put the entries on the shelf."""
        offsets, letters = letters_of(pa.concat_arrays(found.docs.chunks))
        texts = shelf.put(offsets - offsets[0]), shelf.put(letters[offsets[0] : offsets[-1]])
        ranks = None if found.ranks is None else shelf.put(found.ranks)
        return cls(start, *texts, shelf.put(found.scores), ranks)

    def read(self, held: Segments) -> tuple[pa.StringArray, NDArray[np.float64], NDArray[np.int64] | None]:
        """Documents, scores and ranks of some segments of this piece."""
        low, high = int(held.low.min()), int(held.high.max())
        offsets = self.offsets(low, high + 1)
        letters = self.letters(int(offsets[0]), int(offsets[-1]))
        buffers = pa.py_buffer(offsets - offsets[0]), pa.py_buffer(letters)
        docs = pa.StringArray.from_buffers(high - low, *buffers)
        scores, ranks = self.scores(low, high), self.ranks and self.ranks(low, high)
        if held.lengths().sum() == high - low:
            return docs, scores, ranks
        wanted = held.entries() - low
        return docs.take(pa.array(wanted)), scores[wanted], None if ranks is None else ranks[wanted]


class Spool:
    """The entries of one file. Lines may come in any order; a query's are found fastest where they stand together.

    query_ids: string[Q], each once, in order of first appearance.
    """

    def __init__(self, pieces: Iterable[Entries], place: Callable[[int], str], memory: int = MEMORY) -> None:
        """Read all pieces. place: where an entry of the file stands, for messages."""
        self._place = place
        self._pieces: list[Piece] = []
        shelf, numbers, start = Shelf(memory), dict[str, int](), 0
        columns: list[list[NDArray[np.int64]]] = [[NOTHING] for _ in range(4)]
        for piece in pieces:
            names = np.array([numbers.setdefault(name, len(numbers)) for name in piece.queries.to_pylist()], np.int64)
            bounds = np.flatnonzero(np.diff(piece.rows, prepend=-1, append=-1))
            low, high = bounds[:-1], bounds[1:]
            segments = names[piece.rows[low]], np.full(len(low), len(self._pieces)), low, high
            for column, values in zip(columns, segments, strict=True):
                column.append(values)
            self._pieces.append(Piece.put(shelf, piece, start))
            start += len(piece.rows)
        self._segments = Segments(*map(np.concatenate, columns))
        self.query_ids = pa.array(list(numbers), pa.string())

    def lengths(self) -> NDArray[np.int64]:
        """int64[Q]: how many entries each query has."""
        held = self._segments
        return np.bincount(held.query, held.lengths(), len(self.query_ids)).astype(np.int64)

    def take(self, queries: pa.StringArray) -> Entries:
        """The entries of some queries, in the file's order; a query that the file lacks has none.

        Raises HarnessError for a score that is not finite and for a rank that contradicts a score.
        """
        chosen = self._chosen(queries)
        places = [(piece.start, held) for piece, held in chosen]
        read = [piece.read(held) for piece, held in chosen]
        found = Entries(
            queries,
            np.concatenate([NOTHING, *(np.repeat(held.query, held.lengths()) for _, held in places)]),
            pa.chunked_array([docs for docs, _, _ in read], pa.string()),
            np.concatenate([np.empty(0), *(scores for _, scores, _ in read)]),
            place=lambda entry: self._place(
                int(np.concatenate([start + held.entries() for start, held in places])[entry])
            ),
        )
        check_finite(found)
        ranks = [ranks for _, _, ranks in read if ranks is not None]
        if ranks:
            check_ranks(found, np.concatenate(ranks))
        return found

    def _chosen(self, queries: pa.StringArray) -> list[tuple[Piece, Segments]]:
        """The pieces that hold some of these queries, and where; queries by their place among them."""
        places = pc.fill_null(pc.index_in(self.query_ids, value_set=queries), -1).to_numpy().astype(np.int64)
        found = self._segments
        query = places[found.query] if len(places) else NOTHING
        chosen = np.flatnonzero(query >= 0)
        chosen = chosen[np.argsort(found.piece[chosen], kind="stable")]
        parts = np.split(chosen, np.flatnonzero(np.diff(found.piece[chosen])) + 1) if len(chosen) else []
        return [
            (
                self._pieces[found.piece[part[0]]],
                Segments(query[part], found.piece[part], found.low[part], found.high[part]),
            )
            for part in parts
        ]


def union(spools: Mapping[str, Spool]) -> pa.StringArray:
    """The queries of all files: in the order of the first, then those that only later ones hold."""
    return pc.unique(pa.concat_arrays([spool.query_ids for spool in spools.values()]))


def blocks(spools: Mapping[str, Spool], queries: pa.StringArray, size: int = BLOCK) -> Iterator[dict[str, Run]]:
    """The runs of some queries, in blocks of about ``size`` entries, at least one query a block; at least one block.

    Documents are numbered within a block, by their sorted ids, so that every list is in the one order.
    """
    held = np.zeros(len(queries), dtype=np.int64)
    for spool in spools.values():
        places = pc.index_in(queries, value_set=spool.query_ids)
        known = np.asarray(pc.is_valid(places))
        held[known] += spool.lengths()[places.drop_null().to_numpy()]
    number = np.maximum(np.cumsum(held) - 1, 0) // size
    bounds = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(queries)]

    def block(bound: tuple[int, int]) -> dict[str, Run]:
        part = queries.slice(bound[0], bound[1] - bound[0])
        return runs_of({name: spool.take(part) for name, spool in spools.items()})

    with ThreadPoolExecutor(1) as ahead:  # the next block is read while the last one is worked on
        waiting: list[Future[dict[str, Run]]] = []
        for bound in pairwise(bounds):
            waiting.append(ahead.submit(block, bound))
            if len(waiting) > 1:
                yield waiting.pop(0).result()
        yield waiting.pop().result()
