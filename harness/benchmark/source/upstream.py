"""Questions with their contexts as their publishers ship them, and the passages that they share.

HotpotQA, 2WikiMultiHopQA and MuSiQue ship questions with their own paragraphs. HippoRAG ships
``<name>.json`` and the passages of all questions in ``<name>_corpus.json``. Copies elsewhere have
the nested fields as lists, structs of lists, lists of structs, or JSON in a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.benchmark.content import spaced
from harness.benchmark.source.hub import load_table
from harness.benchmark.source.records import Record, Records, read_array, read_lines
from harness.core.errors import HarnessError, MissingFile
from harness.core.identity import file_sha256
from harness.core.table import counted

JSON = (".json", ".jsonl")
"""Endings of files of records, without that of a packing."""
Contexts = Iterable[tuple[str, str]]
"""Title and text of paragraphs."""


@dataclass(frozen=True)
class CorpusRecords:
    """The passages of a corpus in order of first appearance, with ids ``<name>-00000``.

    Equal (title, text) pairs, apart from white space, are one passage.

    Attributes:
        records: the passages.
        total: number of records that they were made of.
    """

    records: Records
    total: int

    @cached_property
    def by_title(self) -> Mapping[str, list[Record]]:
        """The passages under each title."""
        passages: dict[str, list[Record]] = {}
        for passage in self.records.values:
            passages.setdefault(passage["title"], []).append(passage)
        return passages

    def find(self, title: str, text: str | None) -> Record:
        """Return the passage of that title and text, apart from white space. Without a text, return
        the only one of that title.
        """
        under = self.by_title.get(spaced(title), [])
        letters = None if text is None else "".join(text.split())
        same = [passage for passage in under if letters in (None, "".join(passage["text"].split()))]
        if len(same) != 1:
            raise LookupError(
                f"its passage {title!r} is not in {self.records.path} "
                f"({counted(len(under), 'passage')} with that title)"
            )
        return same[0]


def read_passages(path: Path, name: str) -> CorpusRecords:
    """Return the passages of a corpus file: a list of ``{title, text}``, or HippoRAG 1's ``{title:
    [sentences]}``.
    """
    raw = read_array(path)
    if isinstance(raw, dict):
        raw = [{"title": title, "text": "".join(sentences)} for title, sentences in raw.items()]
    rows = enumerate(_objects(path, raw))
    return join_passages(
        path, name, ((number, row.get("title"), row.get("text")) for number, row in rows)
    )


def join_passages(
    path: Path, name: str, contexts: Iterable[tuple[int, Any, Any]], unit: str = ": record "
) -> CorpusRecords:
    """Return the distinct passages of paragraphs: place of the record, title, text."""
    seen: dict[tuple[str, str], int] = {}
    total = 0
    for place, title, text in contexts:
        if not (isinstance(title, str) and isinstance(text, str)):
            raise HarnessError(
                f"{path}{unit}{place}: a paragraph must have a title and a text, found "
                f"{(title, text)!r:.60}; get the file again"
            )
        total += 1
        seen.setdefault((spaced(title), spaced(text)), place)
    values = [
        {"id": f"{name}-{k:05d}", "title": title, "text": text}
        for k, (title, text) in enumerate(seen)
    ]
    return CorpusRecords(Records(path, values, list(seen.values()), unit), total)


def read_questions(
    path: str,
    configuration: str | None = None,
    split: str | None = None,
    revision: str | None = None,
) -> tuple[Records, dict[str, str]]:
    """Return questions as they were published, and the facts about their origin.

    Args:
        path: a JSON array or JSON lines, plain or packed; otherwise as in ``load_table``.
        configuration: as in ``load_table``.
        split: of a data set.
        revision: of a data set.
    """
    place = Path(path).expanduser()
    ending = next((suffix for suffix in reversed(place.suffixes) if suffix in JSON), place.suffix)
    if not place.exists() and (ending in (*JSON, ".parquet") or place.is_absolute()):
        raise MissingFile(f"{path}: there is no such file", path)
    if place.is_file() and ending in JSON:
        facts = {"file": place.name, "sha256": file_sha256(place)}
        if ending == ".jsonl":
            return read_lines(place), facts
        records = _objects(place, read_array(place))
        return Records(place, records, range(len(records)), ": record "), facts
    table, facts = load_table(path, configuration, split, revision)
    return Records(Path(path), table.to_list(), range(len(table)), ": record "), facts


def _objects(path: Path, raw: object) -> Sequence[Record]:
    if not isinstance(raw, list) or not all(isinstance(record, dict) for record in raw):
        raise HarnessError(f"{path}: expected one JSON array of objects, as HippoRAG publishes it")
    return raw


def rows_of(record: Record, field: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a nested field, by the names of their columns.

    The field is a list of lists in the order of ``names``, a list of structs, a struct of lists, or
    one of these as JSON in a text. A struct with other names has as many columns as ``names``.

    Raises:
        KeyError: the record has no such field.
        ValueError: the field is something else; names it and what was found.
    """
    value = record[field]
    try:
        raw = json.loads(value) if isinstance(value, str) else value
        if isinstance(raw, Mapping):
            raw = [dict(zip(raw, row, strict=True)) for row in zip(*raw.values(), strict=True)]
        return [_named(row, names) for row in raw]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"field {field} must have rows of {', '.join(names)}, found {value!r:.60}"
        ) from error


def _named(row: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(row, Mapping):
        if set(names) <= set(row) or len(row) != len(names):
            return dict(row)
        row = list(row.values())
    if not isinstance(row, (list, tuple)):
        raise TypeError(type(row).__name__)
    return dict(zip(names, row, strict=True))


def answers_of(record: Record) -> list[str]:
    """Return the answer, followed by its aliases, without repetition."""
    aliases = record.get("answer_aliases") or []
    return list(dict.fromkeys([record["answer"], *aliases]))
