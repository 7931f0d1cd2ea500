"""Files of judgements: queries.jsonl with hop order; TREC qrels, tables and JSON without.

By ending: ``.json`` is ``{query: {document: relevance}}``, as ranx writes it; ``.parquet``, and ``.csv``, ``.tsv`` and
``.jsonl`` with the columns of a table (BEIR's ``query-id, corpus-id, score``), have a row a judgement. Any other file
is TREC qrels (``qid 0 docid relevance``) or, where it begins with ``{``, a queries.jsonl. All but Parquet may be
packed. Raises HarnessError with file and line for what is broken, double, or empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.source import (
    QUERY_NAMES,
    Chain,
    add_judgements,
    chains,
    judgement_files,
    read_judgements,
    with_our_names,
)
from harness.core.errors import HarnessError
from harness.core.input import form_of, numbered_lines, parse_json, refuse_array
from harness.run import document, frame
from harness.run.entries import Entries, check_named
from harness.run.trec import FORM, RANK, SCORE, fields_of, is_comment

QUERY = '{"id": ..., "supporting_ids": [...], "hops": ..., "type": ...}'
QREL = "qid 0 docid relevance"
QRELS = '{"query id": {"document id": relevance}}'
COLUMNS = {"query_id": frame.QUERY, "doc_id": frame.DOC, "relevance": ("relevance", "rel", "label", "score")}

TYPED = {"query": "query_id", "doc": "doc_id", "relevance": "relevance"}
"""What is typed as ``columns={query: ..., doc: ..., relevance: ...}``, by our names."""
Judgement = tuple[str, str, float]
"""Query, document, relevance."""


@dataclass(frozen=True)
class Judged:
    """What a file says, queries in its order.

    grades: of judgements, the relevance of each judged document; None of a queries.jsonl, whose ``supporting`` are in
    hop order.
    """

    query_ids: list[str]
    supporting: list[list[str]]
    hops: Sequence[int | None]
    types: Sequence[str | None]
    ordered: bool | NDArray[np.bool_]
    given: Sequence[str | None] | None = None
    grades: list[dict[str, float]] | None = None


def read(path: Path, lenient: bool = False, chain: Chain | None = None) -> Judged:
    """What a file of judgements says.

    lenient: pass over comment lines (``#``) and trailing fields of TREC qrels.    chain: of which queries of a
    queries.jsonl the hop order is known; None: of all.
    """
    if path.is_dir():
        return _splits(path, chain)
    form = form_of(path)
    if form == "json":
        return _unordered(path, _json(path), chain)
    if form == "parquet":
        return _unordered(path, judgements(frame.read_entries(path, COLUMNS)), chain)
    lines = [(number, line) for number, line in numbered_lines(path) if not (lenient and is_comment(line))]
    if not lines:
        raise HarnessError(f"{path}: the file is empty; expected lines {QUERY} or qrels `{QREL}`")
    refuse_array(path, lines[0][1])
    if _is_frame(path, form, *lines[0]):
        return _unordered(path, judgements(frame.read_entries(path, COLUMNS)), chain)
    if lines[0][1].lstrip().startswith(b"{"):
        return _queries(path, lines, "all" if chain is None else chain)
    lines = lines[1:] if _is_head(lines[0][1]) else lines
    judged = [(number, _qrel(path, number, line, lenient)) for number, line in lines]
    pairs = ((f"{query} {doc}", number) for number, (query, doc, _) in judged)
    _once(f"{path}:", "the pair of query and document", pairs)
    return _unordered(path, (judgement for _, judgement in judged), chain)


def _is_frame(path: Path, form: str, number: int, first: bytes) -> bool:
    """Whether the first line of a text file names the columns of judgements."""
    if first.lstrip().startswith(b"{"):
        entry = parse_json(first, path, QUERY, number)
        return form == "jsonl" and isinstance(entry, dict) and frame.has_columns(list(entry), COLUMNS)
    delimiter = {"tsv": "\t", "csv": ","}.get(form)
    return delimiter is not None and frame.has_columns(first.decode(errors="replace").split(delimiter), COLUMNS)


def _splits(folder: Path, chain: Chain | None) -> Judged:
    """The judgements of a folder of BEIR, the files of ``qrels`` being splits."""
    judged: dict[str, dict[str, int]] = {}
    splits: dict[str, str] = {}
    for path in judgement_files(folder):
        add_judgements(judged, splits, read_judgements(path), path.stem)
    rows = ((query, doc, float(grade)) for query, grades in judged.items() for doc, grade in grades.items())
    found = _unordered(folder, rows, chain)
    return replace(found, given=[splits[query] for query in found.query_ids])


def _is_head(line: bytes) -> bool:
    """Whether the first line of qrels names their fields."""
    fields = line.decode(errors="replace").split()
    return len(fields) == 4 and all(
        name in known for name, known in zip(fields[::2], list(COLUMNS.values()), strict=False)
    )


def _unordered(path: Path, judged: Iterable[Judgement], chain: Chain | None) -> Judged:
    if chain is not None:
        raise HarnessError(
            f"dataset.chain says which queries have a known hop order, and {path} has none; give gold=queries.jsonl, "
            "or leave it out"
        )
    return unordered(judged)


def unordered(judged: Iterable[Judgement]) -> Judged:
    """What judgements say, a row each; there is no hop order."""
    grades: dict[str, dict[str, float]] = {}
    for query, doc, relevance in judged:
        grades.setdefault(query, {})[doc] = relevance
    return graded(grades)


def graded(grades: Mapping[str, dict[str, float]]) -> Judged:
    """What judgements say, ``{query: {document: relevance}}``."""
    nothing = [None] * len(grades)
    return Judged(list(grades), [[] for _ in grades], nothing, nothing, False, grades=list(grades.values()))


def _json(path: Path) -> Iterable[Judgement]:
    judged = document.read_lists(path, QRELS, lambda place: 1.0, judged=True).items()
    return ((query, doc, relevance) for query, documents in judged for doc, relevance in documents.items())


def judgements(found: Entries) -> Iterable[Judgement]:
    """The judgements of a table. Raises HarnessError for an id that is empty, and a pair that stands there twice."""
    check_named(found)
    queries, docs = found.queries.to_pylist(), found.docs.to_pylist()
    first: dict[tuple[str, str], int] = {}
    for entry, pair in enumerate(zip(queries, docs, strict=True)):
        if first.setdefault(pair, entry) != entry:
            raise HarnessError(
                f"{found.place(entry)}: the pair of query and document {' '.join(pair)} stands in "
                f"{found.place(first[pair])} already; keep one"
            )
    return zip(queries, docs, found.scores.tolist(), strict=True)


def _queries(path: Path, lines: list[tuple[int, bytes]], chain: Chain) -> Judged:
    rows = [_query(path, number, line) for number, line in lines]
    ids = [row["id"] for row in rows]
    _once(f"{path}:", "query", zip(ids, (number for number, _ in lines), strict=True))
    return Judged(
        ids,
        [row["supporting_ids"] for row in rows],
        [row.get("hops") for row in rows],
        [row.get("type") for row in rows],
        chains(chain, rows),
        [None if row.get("split") is None else str(row["split"]) for row in rows],
    )


def _query(path: Path, number: int, line: bytes) -> dict[str, Any]:
    where = f"{path}:{number}"
    row = parse_json(line, path, QUERY, number)
    row = dict(with_our_names(row, QUERY_NAMES)) if isinstance(row, dict) else row
    if not isinstance(row, dict) or not isinstance(row.get("id"), str) or not row["id"]:
        raise HarnessError(f"{where}: expected a query {QUERY} with a text as id")
    passages = row.get("supporting_ids")
    if not isinstance(passages, list) or not all(isinstance(name, str) and name for name in passages):
        raise HarnessError(
            f"{where}: query {row['id']}: supporting_ids must be a list of document ids, texts that are not empty, "
            f"{_found(passages)}"
        )
    if len(set(passages)) < len(passages):
        raise HarnessError(f"{where}: query {row['id']}: supporting_ids names a document twice; keep the later hop")
    if not isinstance(row.get("hops"), (int, type(None))) or not isinstance(row.get("type"), (str, type(None))):
        raise HarnessError(f"{where}: query {row['id']}: hops must be a whole number and type a text, or missing")
    return row


def _found(passages: Any) -> str:
    """What stands in place of supporting_ids, and the mend."""
    if passages is None:
        return "it is missing; BEIR has its judgements in qrels/*.tsv"
    said = f"found {passages!r:.60}"
    if isinstance(passages, list) and all(isinstance(name, (str, int)) and name != "" for name in passages):
        return f"{said}; write the ids as texts: {json.dumps([str(name) for name in passages])[:60]}"
    return said


def _qrel(path: Path, number: int, line: bytes, lenient: bool) -> Judgement:
    fields = [field.decode() for field in fields_of(path, number, line, QREL)]
    if len(fields) == 6 and RANK.fullmatch(fields[3].encode()) and SCORE.fullmatch(fields[4].encode()):
        raise HarnessError(f"{path}:{number}: `{FORM}`: this is a run; expected judgements, `{QREL}` or queries.jsonl")
    if len(fields) < 4 or (len(fields) > 4 and not lenient):
        mend = "; lenient=true passes over comment lines and trailing fields"
        if len(fields) == 3 and not is_comment(line):
            mend = (
                f"; where they are query, document, relevance: `{fields[0]} 0 {fields[1]} {fields[2]}`, or a .tsv with "
                "the first line `query-id corpus-id score`, between tabs"
            )
        raise HarnessError(
            f"{path}:{number}: expected 4 fields `{QREL}`, found {len(fields)}{mend if len(fields) > 2 else ''}"
        )
    try:
        return fields[0], fields[2], int(fields[3])
    except ValueError as error:
        raise HarnessError(f"{path}:{number}: relevance must be a whole number, got {fields[3]!r}") from error


def _once(place: str, kind: str, named: Iterable[tuple[str, int]]) -> None:
    first: dict[str, int] = {}
    for name, number in named:
        if name in first:
            raise HarnessError(f"{place}{number}: {kind} {name} stands in {place}{first[name]} already; keep one")
        first[name] = number
