"""A benchmark as records: what ``corpus.jsonl`` and ``queries.jsonl`` of a folder hold, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.files import whole

if TYPE_CHECKING:
    from harness.benchmark.benchmark import Benchmark

PASSAGE = ("id", "title", "text")
QUESTION = ("id", "question", "answers", "supporting_ids", "hops", "type")

UNKNOWN = {"ordered": False}
"""What a question says whose supporting passages are in no known order."""


def passage_records(data: Benchmark) -> Iterator[dict[str, str]]:
    """``PASSAGE`` of each passage."""
    for batch in data.corpus.iter(batch_size=1000):
        for values in zip(*(batch[name] for name in PASSAGE), strict=True):
            yield dict(zip(PASSAGE, values, strict=True))


def question_records(data: Benchmark) -> Iterator[dict[str, Any]]:
    """``QUESTION`` of each question, whatever else it has, and ``ordered: false`` where its hop order is unknown."""
    for row, ordered in zip(data.queries, data.ordered.tolist(), strict=True):
        yield {**{name: row[name] for name in QUESTION}, **json.loads(row["extra"]), **({} if ordered else UNKNOWN)}


def write_records(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """A file of one JSON object a line."""
    with whole(path) as partial, partial.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
