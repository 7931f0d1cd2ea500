"""Writing a run as lines, an entry a line: TREC, CSV, TSV, JSONL. Each form is one description."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.core.errors import HarnessError
from harness.core.files import written
from harness.core.input import form_of

BLOCK = 1 << 20
"""Entries that are put together at once."""


@dataclass(frozen=True)
class Lines:
    """pieces: what stands before the query, the document, the rank and the score, and at the end of the line.

    head: the first line.    write_id: how an id is written; None: as it is.    refused: what no id may hold (a regular
    expression), and how a message says it.
    """

    pieces: tuple[str, str, str, str, str]
    head: str = ""
    write_id: Callable[[str], str] | None = None
    refused: tuple[str, str] | None = None


def _quoted(delimiter: str) -> Callable[[str], str]:
    def quoted(name: str) -> str:
        return f'"{name.replace(chr(34), chr(34) * 2)}"' if '"' in name or delimiter in name else name

    return quoted


def _json(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


BREAKS = (r"[\x00\r\n]", "holds a line break")
FORMS = {
    "csv": Lines(("", ",", ",", ",", "\n"), "query_id,doc_id,rank,score\n", _quoted(","), BREAKS),
    "tsv": Lines(("", "\t", "\t", "\t", "\n"), "query_id\tdoc_id\trank\tscore\n", _quoted("\t"), BREAKS),
    "jsonl": Lines(('{"query_id":', ',"doc_id":', ',"rank":', ',"score":', "}\n"), write_id=_json),
}
"""By the ending of the name; every other ending is TREC."""


def _trec(tag: str) -> Lines:
    return Lines(("", " Q0 ", " ", " ", f" {tag}\n"), refused=(r"[\x00-\x20]", "holds white space"))


def write(run: Any, path: Path, tag: str = "harness") -> None:
    """Write a line an entry, best document first, in the form of the file's ending, packed as that says.

    run: a ``harness.run.Run``, which imports this module.    tag: the last column of TREC.
    Scores are written with the fewest digits that give back the same 64 bits. The file appears whole or not at all.
    Raises HarnessError for an id or a tag that the form cannot carry: empty, or with white space in TREC, with a line
    break in CSV and TSV.
    """
    form = FORMS.get(form_of(path), _trec(tag))
    if form.refused and form_of(path) not in FORMS:
        _check(path, form, "tag", pa.array([tag]))
    _check(path, form, "query", run.query_ids)
    _check(path, form, "document", run.doc_ids.take(pa.array(np.flatnonzero(np.bincount(run.docs)))))
    queries, docs = (_written(form, ids) for ids in (run.query_ids, run.doc_ids))
    rows = np.repeat(np.arange(len(run.query_ids)), np.diff(run.indptr))
    ranks = np.arange(1, len(rows) + 1) - run.indptr[:-1][rows]
    before_query, before_doc, before_rank, before_score, end = form.pieces
    with written(path) as stream:
        stream.write(form.head.encode())
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            lines = pc.binary_join_element_wise(
                before_query,
                queries.take(pa.array(rows[part])),
                before_doc,
                docs.take(pa.array(run.docs[part])),
                before_rank,
                pa.array(ranks[part]).cast(pa.string()),
                before_score,
                pa.array(run.scores[part]).cast(pa.string()),
                end,
                "",
            )
            _, offsets, letters = lines.buffers()
            stream.write(memoryview(letters)[: np.frombuffer(offsets, np.int32)[len(lines)]])


def _written(form: Lines, ids: pa.StringArray) -> pa.StringArray:
    return ids if form.write_id is None else pa.array(map(form.write_id, ids.to_pylist()), pa.string())


def _check(path: Path, form: Lines, kind: str, ids: pa.StringArray) -> None:
    broken = ids.filter(pc.equal(ids, ""))
    if form.refused and not len(broken):
        broken = ids.filter(pc.match_substring_regex(ids, form.refused[0]))
    if len(broken):
        fault = form.refused[1] if form.refused and broken[0].as_py() else "is empty"
        other = "" if fault == "is empty" else ", which such a file cannot carry; write out=NAME.parquet or NAME.json"
        raise HarnessError(f"{kind} id {broken[0].as_py()!r} {fault}{other}")
