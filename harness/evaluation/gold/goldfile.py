"""Files of judgements: queries.jsonl with hop order; TREC qrels, tables and JSON without.

The ending decides. ``.json`` is ``{query: {document: relevance}}``, as ranx writes it.
``.parquet``, and ``.csv``, ``.tsv`` and ``.jsonl`` with the columns of a table (BEIR's ``query-id,
corpus-id, score``), have a row for each judgement. Any other file is TREC qrels (``qid 0 docid
relevance``) or, if it begins with ``{``, a queries.jsonl. All but Parquet may be compressed.
Readers raise HarnessError with file and line for malformed, repeated or missing content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.benchmark.source.judgements import join_judgements, judgement_files, read_judgements
from harness.benchmark.source.records import (
    QUERY_NAMES,
    Chain,
    Record,
    chains,
    check_supporting,
    read_lines,
    with_our_names,
)
from harness.core.arrays import BoolArray
from harness.core.errors import HarnessError
from harness.core.input.read import parse_json, refuse_array
from harness.run.content import DOC, QUERY, Content
from harness.run.entries import Entries, check_named, check_once, log_notes
from harness.run.form import TREC, Form, recognise
from harness.run.trec import QRELS, first_line

LINE = '{"id": ..., "supporting_ids": [...], "hops": ..., "type": ...}'
JUDGEMENTS = Content(
    {"query_id": QUERY, "doc_id": DOC, "relevance": ("relevance", "rel", "label", "score")},
    QRELS,
    '{"query id": {"document id": relevance}}',
    lambda place: 1.0,
    judged=True,
)


@dataclass(frozen=True)
class Judged:
    """The content of a file of judgements, questions in its order.

    Attributes:
        grades: relevance of each judged document; None for a queries.jsonl, whose ``supporting``
            are in hop order.
        notes: what the reader left out, a sentence each.
        texts: the questions; None if the file has none.
    """

    query_ids: list[str]
    supporting: list[list[str]]
    hops: Sequence[int | None]
    types: Sequence[str | None]
    ordered: bool | BoolArray
    given: Sequence[str | None] | None = None
    grades: list[dict[str, float]] | None = None
    notes: Sequence[str] = ()
    texts: Sequence[str | None] | None = None


def read(path: Path, lenient: bool = False, chain: Chain | None = None) -> Judged:
    """Read a file of judgements.

    Args:
        path: the file, or a folder of BEIR.
        lenient: skip comment lines (``#``) and trailing fields of TREC qrels.
        chain: which questions of a queries.jsonl have a known hop order; None: those without
            ``"ordered": false``.
    """
    if path.is_dir():
        return _splits(path, chain)
    form = recognise(path, lenient)
    if (form is TREC or form.ending == "jsonl") and _has_queries(
        path, form, *first_line(path, lenient)
    ):
        return _queries(path, chain)
    _refuse_chain(path, chain)
    return judgements(form.entries(path, JUDGEMENTS, lenient))


def _has_queries(path: Path, form: Form, number: int, first: bytes) -> bool:
    """Return whether the file with this first line has a question on each line, not a judgement."""
    if not number:
        raise HarnessError(
            f"{path}: the file is empty; expected lines {LINE} or qrels `{QRELS.form}`"
        )
    refuse_array(path, first)
    if form is TREC and not first.lstrip().startswith(b"{"):
        return False
    entry = parse_json(first, path, LINE, number)
    return form is TREC or not (isinstance(entry, dict) and JUDGEMENTS.has_columns(list(entry)))


def _splits(folder: Path, chain: Chain | None) -> Judged:
    """Read a folder of BEIR, whose files in ``qrels`` are splits."""
    _refuse_chain(folder, chain)
    judged, splits = join_judgements(
        (path.stem, read_judgements(path)) for path in judgement_files(folder)
    )
    content = graded(
        {
            query: {doc: float(grade) for doc, grade in grades.items()}
            for query, grades in judged.items()
        }
    )
    return replace(content, given=[splits[query] for query in content.query_ids])


def _refuse_chain(path: Path, chain: Chain | None) -> None:
    if chain is not None:
        raise HarnessError(
            f"dataset.chain says which queries have a known hop order, and {path} has none; give "
            "gold=queries.jsonl, "
            "or leave it out"
        )


def graded(grades: Mapping[str, dict[str, float]], notes: Sequence[str] = ()) -> Judged:
    """Return judgements without a hop order.

    Args:
        grades: ``{query: {document: relevance}}``.
        notes: notes of the reader.
    """
    nothing = [None] * len(grades)
    empty: list[list[str]] = [[] for _ in grades]
    judged = list(grades.values())
    return Judged(list(grades), empty, nothing, nothing, False, grades=judged, notes=notes)


def judgements(entries: Entries) -> Judged:
    """Return the judgements in entries; raise HarnessError for an empty id or a repeated pair."""
    check_named(entries)
    check_once(entries)
    return graded(entries.to_dict(), log_notes(entries.notes))


def _queries(path: Path, chain: Chain | None) -> Judged:
    """Read the questions of a queries.jsonl."""
    records = read_lines(path)
    rows: list[Record] = []
    first: dict[str, int] = {}
    for number, record in records.numbered():
        row, where = with_our_names(record, QUERY_NAMES), records.where(number)
        name = row.get("id")
        if not isinstance(name, str) or not name:
            raise HarnessError(f"{where}: expected a query {LINE} with a text as id")
        if first.setdefault(name, number) != number:
            raise HarnessError(
                f"{where}: query {name} is already in {records.where(first[name])}; keep one"
            )
        check_supporting(where, row)
        rows.append(row)
    return Judged(
        list(first),
        [row["supporting_ids"] for row in rows],
        [row.get("hops") for row in rows],
        [row.get("type") for row in rows],
        chains(chain, rows),
        [None if row.get("split") is None else str(row["split"]) for row in rows],
        texts=[str(row["question"]) if row.get("question") else None for row in rows],
    )
