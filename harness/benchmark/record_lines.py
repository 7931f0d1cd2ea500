"""A benchmark as records, the lines of ``corpus.jsonl`` and ``queries.jsonl`` of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.errors import HarnessError
from harness.core.files import make_folder, whole

if TYPE_CHECKING:
    from harness.benchmark.benchmark import Benchmark

PASSAGE = ("id", "title", "text")
QUESTION = ("id", "question", "answers", "supporting_ids", "hops", "type")

UNKNOWN = {"ordered": False}
"""The field of a question whose supporting passages have no known order."""


def passage_records(data: Benchmark) -> Iterator[dict[str, str]]:
    """Yield ``PASSAGE`` of each passage."""
    for batch in data.corpus.iter(batch_size=1000):
        for values in zip(*(batch[name] for name in PASSAGE), strict=True):
            yield dict(zip(PASSAGE, values, strict=True))


def question_records(data: Benchmark) -> Iterator[dict[str, Any]]:
    """Yield ``QUESTION`` of each question with its further fields, and ``ordered: false`` if its
    hop order is unknown.
    """
    for row, ordered in zip(data.queries, data.ordered.tolist(), strict=True):
        yield {
            **{name: row[name] for name in QUESTION},
            **json.loads(row["extra"]),
            **({} if ordered else UNKNOWN),
        }


def write_records(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write a file of one JSON object a line."""
    with whole(path) as partial, partial.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def write_benchmark(data: Benchmark, folder: Path) -> list[Path]:
    """Write ``corpus.jsonl`` and ``queries.jsonl``, as ``dataset=folder`` reads them, and return
    their paths.

    Raises:
        HarnessError: the benchmark has triples, which these files cannot hold, or one of the files
            exists.
    """
    files = [folder / "corpus.jsonl", folder / "queries.jsonl"]
    if data.triples is not None:
        raise HarnessError(
            f"{data.name}: corpus.jsonl and queries.jsonl cannot hold its triples; export another"
        )
    if existing := next((path for path in files if path.exists()), None):
        raise HarnessError(f"{existing}: already there; give another folder")
    make_folder(folder)
    for path, rows in zip(files, (passage_records(data), question_records(data)), strict=True):
        write_records(path, rows)
    return files
