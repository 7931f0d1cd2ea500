"""Long documents as passages of a fixed number of words (PolicyRAG 3.1 and Table 10)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.prepared_files import read_prepared
from harness.benchmark.source.records import Chain, Record, Records, check_chain
from harness.benchmark.text import byte_offsets
from harness.core.errors import HarnessError, MissingFile, whole_number
from harness.work.store import Store

WORD = re.compile(r"\S+")
SPAN = re.compile(r"(?P<document>.+)#(?P<start>\d+)-(?P<end>\d+)")
"""The id of a passage: bytes of a document's text in UTF-8."""


@dataclass(frozen=True)
class Segmented:
    """The benchmark in a folder with ``corpus.jsonl`` and ``queries.jsonl``, whose documents are
    cut into passages.

    A passage is called ``DOCUMENT#START-END`` by the bytes of the document's text that it holds,
    and has the document's title. A document of up to ``tokens`` words stays one passage under its
    own id. Gold may name a passage, a span of bytes (the passage that holds most of it), or a
    document (all its passages; the question then has no known hop order).

    Attributes:
        path: the folder.
        tokens: largest number of words (runs without white space) of a passage, >= 1.
        overlap: number of words that two passages in a row share, from 0, below ``tokens``.
        chain: the questions that last_hop counts: ``all``, ``none`` or ``{field: [values]}``; None:
            those without ``"ordered": false``.
    """

    path: str | None = None
    tokens: int = 1200
    overlap: int = 100
    chain: Chain | None = None

    def __post_init__(self) -> None:
        check_chain("dataset.chain", self.chain)
        whole_number("dataset.tokens", self.tokens, 1)
        whole_number("dataset.overlap", self.overlap, 0)
        if self.overlap >= self.tokens:
            raise HarnessError(
                f"dataset.overlap={self.overlap} must be below dataset.tokens={self.tokens}; "
                "each passage must go on"
            )

    def load(self, store: Store) -> Benchmark:
        """Return the benchmark of the present files."""
        if not self.path:
            raise HarnessError("dataset.path is not set: dataset=segmented dataset.path=DIR")
        folder = Path(str(self.path)).expanduser().resolve()
        if (prepared := read_prepared(folder, store.root)) is None:
            raise MissingFile(
                f"{folder}: no corpus.jsonl and queries.jsonl (or .jsonl.gz) here; name the folder "
                "that has them",
                str(self.path),
            )
        corpus, queries = prepared
        passages = [part for document in corpus.passages() for part in self.split(*document)]
        places = Pieces.of(str(passage["id"]) for passage in passages)
        rows = [places.resolve(row) for row in queries.values]
        records = Records(corpus.path, passages, range(1, len(passages) + 1))
        return assemble(folder.name, records, queries.with_values(rows), None, self.chain)

    def split(self, name: str, title: str, text: str) -> Iterator[Record]:
        """Yield the passages of a document, each ``overlap`` words before the end of the last."""
        words = [match.span() for match in WORD.finditer(text)]
        if len(words) <= self.tokens:
            yield {"id": name, "title": title, "text": text}
            return
        for first in range(0, len(words) - self.overlap, self.tokens - self.overlap):
            window = words[first : first + self.tokens]
            start, end = window[0][0], window[-1][1]
            at = "-".join(map(str, byte_offsets(text, np.array([start, end])).tolist()))
            yield {"id": f"{name}#{at}", "title": title, "text": text[start:end]}


@dataclass(frozen=True)
class Pieces:
    """The passages of documents, for gold that names documents or bytes.

    Attributes:
        known: ids of passages.
        parts: (start, end, id) of each passage of a document that was cut.
    """

    known: frozenset[str]
    parts: Mapping[str, Sequence[tuple[int, int, str]]]

    @classmethod
    def of(cls, passages: Iterator[str]) -> Pieces:
        """Return the pieces among these passages."""
        known = frozenset(passages)
        parts: dict[str, list[tuple[int, int, str]]] = {}
        for match in filter(None, map(SPAN.fullmatch, sorted(known))):
            place = int(match["start"]), int(match["end"]), match[0]
            parts.setdefault(match["document"], []).append(place)
        return cls(known, {name: sorted(spans) for name, spans in parts.items()})

    def resolve(self, query: Record) -> Record:
        """Return a query with passages as gold. An id that names nothing is kept."""
        ids = query.get("supporting_ids")
        if not isinstance(ids, list):
            return query
        passages = [self._passages(name) if isinstance(name, str) else [name] for name in ids]
        row = {"hops": max(len(ids), 1), **query}
        row["supporting_ids"] = list(dict.fromkeys(itertools.chain(*passages)))
        return row if all(len(names) == 1 for names in passages) else {**row, "ordered": False}

    def _passages(self, name: str) -> list[str]:
        if name in self.known:
            return [name]
        if name in self.parts:
            return [passage for _, _, passage in self.parts[name]]
        match = SPAN.fullmatch(name)
        if match is None:
            return [name]
        first, last = int(match["start"]), int(match["end"])
        held = {
            passage: min(end, last) - max(start, first)
            for start, end, passage in self.parts.get(match["document"], ())
        }
        best = max(held, key=held.__getitem__, default=name)
        return [best if held.get(best, 0) > 0 else name]
