"""Files of judgements: queries.jsonl with hop order; TREC qrels, JSON and Parquet (ranx's Qrels) without.

By ending: ``.json`` is ``{query: {document: relevance}}``, ``.parquet`` has a row a judgement, both as ranx writes
them. Any other file is TREC qrels (``qid 0 docid relevance``) or, where it begins with ``{``, a queries.jsonl. All but
Parquet may be gzip. A document is supporting from relevance 1 on; a query without any is left out, as nothing can be
found for it.
Raises HarnessError with file and line for what is broken, double, or empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.source import QUERY_NAMES, Chain, chains, with_our_names
from harness.core.errors import HarnessError
from harness.core.input import numbered_lines, parse_json, refuse_array
from harness.run import document, frame
from harness.run.trec import FORM, RANK, SCORE, fields_of, is_comment

QUERY = '{"id": ..., "supporting_ids": [...], "hops": ..., "type": ...}'
QREL = "qid 0 docid relevance"
QRELS = '{"query id": {"document id": relevance}}'
COLUMNS = {"query_id": frame.QUERY, "doc_id": frame.DOC, "relevance": ("relevance", "rel", "label", "score")}

Judgement = tuple[str, str, float]
"""Query, document, relevance."""


class Fields(NamedTuple):
    """Fields of a ``harness.evaluation.gold.Gold``."""

    query_ids: list[str]
    supporting: list[list[str]]
    hops: Sequence[int | None]
    types: Sequence[str | None]
    ordered: bool | NDArray[np.bool_]
    given: Sequence[str | None] | None = None


def read(path: Path, lenient: bool = False, chain: Chain | None = None) -> Fields:
    """The gold in a file.

    lenient: pass over comment lines (``#``) and trailing fields of TREC qrels.    chain: of which queries of a
    queries.jsonl the hop order is known; None: of all.
    """
    if chain is not None and path.name.removesuffix(".gz").endswith((".json", ".parquet")):
        raise _without_fields(path)
    match path.name.removesuffix(".gz").rpartition(".")[2].lower():
        case "json":
            return _gold(path, _json(path))
        case "parquet":
            return _gold(path, _parquet(path))
    lines = [(number, line) for number, line in numbered_lines(path) if not (lenient and is_comment(line))]
    if not lines:
        raise HarnessError(f"{path}: the file is empty; expected lines {QUERY} or qrels `{QREL}`")
    refuse_array(path, lines[0][1])
    if lines[0][1].lstrip().startswith(b"{"):
        return _queries(path, lines, "all" if chain is None else chain)
    if chain is not None:
        raise _without_fields(path)
    judged = [(number, _qrel(path, number, line, lenient)) for number, line in lines]
    pairs = ((f"{query} {doc}", number) for number, (query, doc, _) in judged)
    _once(f"{path}:", "the pair of query and document", pairs)
    return _gold(path, (judgement for _, judgement in judged))


def _gold(path: Path, judgements: Iterable[Judgement]) -> Fields:
    relevant: dict[str, list[str]] = {}
    for query, doc, relevance in judgements:
        if relevance >= 1:
            relevant.setdefault(query, []).append(doc)
    if not relevant:
        raise HarnessError(f"{path}: no document has a relevance of at least 1, so there is nothing to find")
    nothing = [None] * len(relevant)
    return Fields(list(relevant), list(relevant.values()), nothing, nothing, False)


def _json(path: Path) -> Iterable[Judgement]:
    judged = document.read_lists(path, QRELS).items()
    return ((query, doc, relevance) for query, documents in judged for doc, relevance in documents.items())


def _parquet(path: Path) -> Iterable[Judgement]:
    table = frame.read_columns(path, COLUMNS)
    query, doc, relevance = table.column_names
    queries, docs = (frame.texts(str(path), name, table[name]).to_pylist() for name in (query, doc))
    pairs = (f"{query} {doc}" for query, doc in zip(queries, docs, strict=True))
    _once(f"{path}: row ", "the pair of query and document", zip(pairs, range(1, len(table) + 1), strict=False))
    return zip(queries, docs, frame.numbers(str(path), relevance, table[relevance]).tolist(), strict=True)


def _queries(path: Path, lines: list[tuple[int, bytes]], chain: Chain) -> Fields:
    rows = [_query(path, number, line) for number, line in lines]
    ids = [row["id"] for row in rows]
    _once(f"{path}:", "query", zip(ids, (number for number, _ in lines), strict=True))
    return Fields(
        ids,
        [row["supporting_ids"] for row in rows],
        [row.get("hops") for row in rows],
        [row.get("type") for row in rows],
        chains(chain, rows),
        [None if row.get("split") is None else str(row["split"]) for row in rows],
    )


def _without_fields(path: Path) -> HarnessError:
    return HarnessError(
        f"dataset.chain says which queries have a known hop order, and {path} has none; give gold=queries.jsonl, or "
        "leave it out"
    )


def _query(path: Path, number: int, line: bytes) -> dict[str, Any]:
    where = f"{path}:{number}"
    row = parse_json(line, path, QUERY, number)
    row = dict(with_our_names(row, QUERY_NAMES)) if isinstance(row, dict) else row
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise HarnessError(f"{where}: expected a query {QUERY} with a text as id")
    passages = row.get("supporting_ids")
    if not isinstance(passages, list) or not passages or not all(isinstance(name, str) for name in passages):
        raise HarnessError(f"{where}: query {row['id']}: supporting_ids must be a list of document ids, at least one")
    if len(set(passages)) < len(passages):
        raise HarnessError(f"{where}: query {row['id']}: supporting_ids names a document twice; keep the later hop")
    if not isinstance(row.get("hops"), (int, type(None))) or not isinstance(row.get("type"), (str, type(None))):
        raise HarnessError(f"{where}: query {row['id']}: hops must be a whole number and type a text, or missing")
    return row


def _qrel(path: Path, number: int, line: bytes, lenient: bool) -> Judgement:
    fields = [field.decode() for field in fields_of(path, number, line, QREL)]
    if len(fields) == 6 and RANK.fullmatch(fields[3].encode()) and SCORE.fullmatch(fields[4].encode()):
        raise HarnessError(f"{path}:{number}: `{FORM}`: this is a run; expected judgements, `{QREL}` or queries.jsonl")
    if len(fields) < 4 or (len(fields) > 4 and not lenient):
        mend = "; lenient=true passes over comment lines and trailing fields"
        if len(fields) == 3 and not is_comment(line):
            mend = f"; where they are query, document, relevance: `{fields[0]} 0 {fields[1]} {fields[2]}`"
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
