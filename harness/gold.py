"""Gold: the supporting passages of queries, from a queries.jsonl of ours or a TREC qrels file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from harness.benchmark import Benchmark, load, md5_split
from harness.configuration import names
from harness.errors import HarnessError
from harness.trec.lines import numbered

QUERY = '{"id": ..., "supporting_ids": [...], "hops": ..., "type": ...}'
FIELDS = ("id", "supporting_ids", "hops", "type")
QREL = "qid 0 docid relevance"


@dataclass(frozen=True, eq=False)
class Gold:
    """Q queries and their supporting passages.

    supporting: document ids of each query, in hop order when ``ordered`` (the last one is the last hop).
    hops, types: of each query, None where unknown.    source: the file, for messages.
    """

    query_ids: list[str]
    supporting: list[list[str]]
    hops: list[int | None]
    types: list[str | None]
    ordered: bool
    source: str

    @classmethod
    def of(cls, benchmark: Benchmark) -> Gold:
        """The gold of a benchmark."""
        ids, supporting, hops, types = (list(benchmark.queries[name][:]) for name in FIELDS)
        return cls(ids, supporting, hops, types, True, benchmark.name)

    @classmethod
    def read(cls, path: str | Path) -> Gold:
        """Read a queries.jsonl or a TREC qrels file, plain or gzip, told by its first character (``{``).

        The name of a benchmark (``sample``, ``musique``, ...) where there is no such file, or the folder of a prepared
        one, gives that benchmark's gold.

        qrels: a document is supporting from relevance 1 on; a query without any is left out, as nothing can be found
        for it. Raises HarnessError with file and line for what is broken, double, or empty.
        """
        place = Path(path)
        if place.is_dir() or (not place.exists() and str(path) in names("dataset")):
            return cls.of(load(path))
        lines = list(numbered(place))
        if not lines:
            raise HarnessError(f"{place}: the file is empty; expected lines {QUERY} or qrels `{QREL}`")
        return _queries(place, lines) if lines[0][1].lstrip().startswith(b"{") else _qrels(place, lines)

    @classmethod
    def from_dict(cls, qrels: Mapping[str, Mapping[str, int]]) -> Gold:
        """The gold of ``{query id: {document id: relevance}}``, the qrels of pytrec_eval and ranx; no hop order.

        A document is supporting from relevance 1 on; a query without any is left out.
        """
        judged = ((query, [doc for doc, value in found.items() if value > 0]) for query, found in qrels.items())
        relevant = {query: passages for query, passages in judged if passages}
        return cls._unordered(relevant, "the qrels")

    def to_dict(self) -> dict[str, dict[str, int]]:
        """``{query id: {document id: 1}}``, the qrels of pytrec_eval; ``ranx.Qrels`` takes them too."""
        return {query: dict.fromkeys(docs, 1) for query, docs in zip(self.query_ids, self.supporting, strict=True)}

    @classmethod
    def _unordered(cls, relevant: Mapping[str, list[str]], source: str) -> Gold:
        nothing: list[None] = [None] * len(relevant)
        return cls(list(relevant), list(relevant.values()), list(nothing), list(nothing), False, source)

    def __len__(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    def split(self, name: str) -> Gold:
        """The queries of ``tune``, ``test`` (by the MD5 of their ids) or ``all``."""
        if name == "all":
            return self
        return self.take([place for place, query in enumerate(self.query_ids) if md5_split(query) == name])

    def take(self, places: Sequence[int]) -> Gold:
        """Some of the queries."""
        return Gold(
            [self.query_ids[place] for place in places],
            [self.supporting[place] for place in places],
            [self.hops[place] for place in places],
            [self.types[place] for place in places],
            self.ordered,
            self.source,
        )

    def numbers(self, doc_ids: pa.StringArray) -> NDArray[np.int32]:
        """int32[Q, H]: the passages' numbers in ``doc_ids``, -1 padding, len(doc_ids) for one that is not there."""
        lengths = np.array([len(passages) for passages in self.supporting], dtype=np.int64)
        flat = pa.array([passage for passages in self.supporting for passage in passages], pa.string())
        found = pc.fill_null(pc.index_in(flat, value_set=doc_ids), len(doc_ids)).to_numpy()
        gold = np.full((len(self), int(lengths.max(initial=0))), -1, dtype=np.int32)
        gold[np.arange(gold.shape[1]) < lengths[:, None]] = found
        return gold


def _queries(path: Path, lines: list[tuple[int, bytes]]) -> Gold:
    rows = [_query(path, number, line) for number, line in lines]
    ids = [row["id"] for row in rows]
    _once(path, "query", zip(ids, (number for number, _ in lines), strict=True))
    return Gold(
        ids,
        [row["supporting_ids"] for row in rows],
        [row.get("hops") for row in rows],
        [row.get("type") for row in rows],
        True,
        str(path),
    )


def _query(path: Path, number: int, line: bytes) -> dict[str, Any]:
    where = f"{path}:{number}"
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise HarnessError(f"{where}: broken JSON ({error}); expected {QUERY}") from error
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise HarnessError(f"{where}: expected a query {QUERY} with a text as id")
    passages = row.get("supporting_ids")
    if not isinstance(passages, list) or not passages or not all(isinstance(name, str) for name in passages):
        raise HarnessError(f"{where}: query {row['id']}: supporting_ids must be a list of document ids, at least one")
    if len(set(passages)) < len(passages):
        raise HarnessError(f"{where}: query {row['id']}: supporting_ids names a document twice; keep the later hop")
    if not isinstance(row.get("hops"), (int, type(None))) or not isinstance(row.get("type"), (str, type(None))):
        raise HarnessError(f"{where}: query {row['id']}: hops must be a whole number and type a text, or missing")
    if any("\ud800" <= letter <= "\udfff" for text in (row["id"], *passages) for letter in text):
        raise HarnessError(f"{where}: an id holds half a character (a lone surrogate); mend its encoding")
    return row


def _qrels(path: Path, lines: list[tuple[int, bytes]]) -> Gold:
    judged = [(number, *_qrel(path, number, line)) for number, line in lines]
    _once(path, "the pair of query and document", ((f"{qid} {doc}", number) for number, qid, doc, _ in judged))
    relevant: dict[str, list[str]] = {}
    for _, qid, doc, relevance in judged:
        if relevance > 0:
            relevant.setdefault(qid, []).append(doc)
    if not relevant:
        raise HarnessError(f"{path}: no document has a relevance of at least 1, so there is nothing to find")
    return Gold._unordered(relevant, str(path))


def _qrel(path: Path, number: int, line: bytes) -> tuple[str, str, int]:
    try:
        fields = [field.decode() for field in line.split()]
        if b"\0" in line:
            raise ValueError("a NUL byte")
    except ValueError as error:
        raise HarnessError(f"{path}:{number}: this is no UTF-8 text ({error}); expected {QUERY} or `{QREL}`") from error
    if len(fields) != 4:
        raise HarnessError(f"{path}:{number}: expected 4 fields `{QREL}`, found {len(fields)}")
    try:
        return fields[0], fields[2], int(fields[3])
    except ValueError as error:
        raise HarnessError(f"{path}:{number}: relevance must be a whole number, got {fields[3]!r}") from error


def _once(path: Path, kind: str, named: Iterator[tuple[str, int]]) -> None:
    first: dict[str, int] = {}
    for name, number in named:
        if name in first:
            raise HarnessError(f"{path}:{number}: {kind} {name} stands in line {first[name]} already; keep one")
        first[name] = number
