"""Writers of ranked lists with one line for each entry: TREC, CSV, TSV, JSONL."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.arrays import arrow
from harness.core.files import written
from harness.run.entries import Entries

BLOCK = 1 << 20
"""Number of entries that are put together at once."""


@dataclass(frozen=True)
class Lines:
    """The form of a line.

    Attributes:
        pieces: the texts before the query, the document, the rank and the score, and at the end of
            the line.
        head: the first line of the file.
        write_id: returns the written form of an id; None for the id itself.
    """

    pieces: tuple[str, str, str, str, str]
    head: str = ""
    write_id: Callable[[str], str] | None = None

    def write(self, entries: Entries, path: Path) -> None:
        """Write one line for each entry, packed if the file's ending says so, completely or not at
        all.

        Scores have the fewest digits that give back the same 64 bits.

        Args:
            entries: the entries, with ranks.
            path: the file.
        """
        queries, docs = (
            self._written(column.dictionary) for column in (entries.queries, entries.docs)
        )
        assert entries.ranks is not None
        ranks, scores = arrow(entries.ranks), arrow(entries.scores)
        before_query, before_doc, before_rank, before_score, end = arrow(self.pieces)
        no_separator = arrow([""])[0]
        with written(path) as stream:
            stream.write(self.head.encode())
            for start in range(0, len(entries.scores), BLOCK):
                part = slice(start, start + BLOCK)
                lines = pc.binary_join_element_wise(
                    before_query,
                    queries.take(entries.queries.indices[part]),
                    before_doc,
                    docs.take(entries.docs.indices[part]),
                    before_rank,
                    ranks[part].cast(pa.string()),
                    before_score,
                    scores[part].cast(pa.string()),
                    end,
                    no_separator,
                )
                _, offsets, letters = lines.buffers()
                stream.write(memoryview(letters)[: np.frombuffer(offsets, np.int32)[len(lines)]])

    def _written(self, ids: pa.StringArray) -> pa.StringArray:
        return ids if self.write_id is None else arrow(map(self.write_id, ids.to_pylist()))


def trec_lines(tag: str = "harness") -> Lines:
    """Return the form of TREC lines.

    Args:
        tag: the name of the system in the last column.
    """
    return Lines(("", " Q0 ", " ", " ", f" {tag}\n"))


def separated_lines(delimiter: str) -> Lines:
    """Return the form of separated values below a head. An id with the separator or a quote is
    quoted.
    """

    def quoted(name: str) -> str:
        return (
            f'"{name.replace(chr(34), chr(34) * 2)}"' if '"' in name or delimiter in name else name
        )

    head = delimiter.join(("query_id", "doc_id", "rank", "score"))
    return Lines(("", delimiter, delimiter, delimiter, "\n"), f"{head}\n", quoted)


def json_lines() -> Lines:
    """Return the form of one JSON object a line."""

    def encoded(name: str) -> str:
        return json.dumps(name, ensure_ascii=False)

    return Lines(('{"query_id":', ',"doc_id":', ',"rank":', ',"score":', "}\n"), write_id=encoded)
