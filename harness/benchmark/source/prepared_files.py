"""Prepared files: a folder with ``corpus.jsonl`` and ``queries.jsonl``, each plain or ``.gz``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harness.benchmark.source.corpus import Corpus, read_corpus
from harness.benchmark.source.records import (
    PASSAGE_NAMES,
    QUERY_NAMES,
    Record,
    Records,
    check_queries,
    read_lines,
    stream_lines,
    with_our_names,
)
from harness.core.errors import HarnessError

TITLED = re.compile(r'"([^\n]+)"\n(.+)', re.DOTALL)
"""``contents`` with a title in its first line."""


def prepared_file(folder: Path, stem: str) -> Path | None:
    """Return ``<stem>.jsonl`` or ``<stem>.jsonl.gz`` in the folder, or None. Raise HarnessError if
    both exist.
    """
    files = [
        path for path in (folder / f"{stem}.jsonl", folder / f"{stem}.jsonl.gz") if path.is_file()
    ]
    if len(files) > 1:
        raise HarnessError(f"{files[0]} and {files[1]} are both there; remove one")
    return files[0] if files else None


def read_prepared(folder: Path, scratch: Path | None = None) -> tuple[Corpus, Records] | None:
    """Return the corpus and the queries of a folder of prepared files, or None if it has neither.

    Args:
        folder: the folder.
        scratch: see ``read_corpus``.
    """
    corpus, queries = (prepared_file(folder, stem) for stem in ("corpus", "queries"))
    if corpus is None and queries is None:
        return None
    corpus, queries = (need_file(folder, stem) for stem in ("corpus", "queries"))
    return read_corpus(corpus, _passages(corpus), scratch=scratch), _queries(queries)


def read_prepared_questions(path: Path) -> dict[str, str]:
    """Return the questions of a file of queries by their ids. Other fields are not read."""
    rows = _queries(path)
    check_queries(rows, {"id": str, "question": str})
    return {row["id"]: row["question"] for row in rows.values}


def need_file(folder: Path, stem: str) -> Path:
    """Return ``prepared_file``. Raise HarnessError if there is none."""
    if (path := prepared_file(folder, stem)) is None:
        raise HarnessError(f"{folder}: {stem}.jsonl (or .jsonl.gz) is missing")
    return path


def plain_passages(corpus: Path) -> Iterator[Record]:
    """Yield id, title and text of each passage of a file of BEIR, which may lack a title or a
    text.
    """
    for place, row in _passages(corpus):
        if not isinstance(row.get("id"), str):
            raise HarnessError(
                f"{corpus}:{place}: field id must be a string, found {row.get('id')!r:.60}"
            )
        yield {
            "id": row["id"],
            "title": str(row.get("title") or ""),
            "text": str(row.get("text") or ""),
        }


def _queries(path: Path) -> Records:
    rows = read_lines(path)
    return rows.with_values(
        [{"answers": [], **with_our_names(row, QUERY_NAMES)} for row in rows.values]
    )


def _passages(corpus: Path) -> Iterator[tuple[int, Record]]:
    return ((place, _passage(row)) for place, row in stream_lines(corpus))


def _passage(row: Record) -> Record:
    """Return a passage with our names of its fields. A title that is missing is empty, or the
    quoted first line of ``contents``, as FlashRAG and Pyserini write it.
    """
    passage = with_our_names(row, PASSAGE_NAMES)
    if "title" in row:
        return passage
    headed = TITLED.match(str(row.get("contents", "")))
    if headed is None or "text" in row:
        return {"title": "", **passage}
    return {**passage, "title": headed[1], "text": headed[2]}
