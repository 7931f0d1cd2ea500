"""Records of a file, each with its place, read from JSON lines (plain or gzip) or from one JSON
array.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from harness.core.arrays import BoolArray
from harness.core.errors import HarnessError, nearest
from harness.core.input.read import numbered_lines, parse_json, read_json, refuse_array

Record = Mapping[str, Any]
Chain = str | Mapping[str, Sequence[str]]
"""``all``, ``none``, or the values of fields that mean a chain: ``{type: [compositional,
inference]}``.
"""
JSON_NAMES: Mapping[type, str] = {str: "a string", list: "a list of strings"}


@dataclass(frozen=True)
class Records:
    """JSON objects and their places.

    Attributes:
        path: the file.
        values: the objects.
        places: for each record its line number (``unit`` ":") or its number in the array (``unit``
            ": record ").
        unit: text between path and place.
    """

    path: Path
    values: Sequence[Record]
    places: Sequence[int]
    unit: str = ":"

    def at(self, number: int) -> str:
        """Return the place of a record: ``queries.jsonl:12``."""
        return self.where(self.places[number])

    def where(self, place: int) -> str:
        """Return a place as text."""
        return f"{self.path}{self.unit}{place}"

    def numbered(self) -> Iterator[tuple[int, Record]]:
        """Return place and record of each."""
        return zip(self.places, self.values, strict=True)

    def take(self, numbers: Sequence[int]) -> Records:
        """Return some of the records, by number."""
        return replace(
            self, values=[self.values[n] for n in numbers], places=[self.places[n] for n in numbers]
        )

    def with_values(self, values: Sequence[Record]) -> Records:
        """Return other records, one made from each of these, at the same places."""
        return replace(self, values=values)


def stream_lines(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield line number and record of a file of JSON lines, plain or packed, without blank
    lines.
    """
    number = 0
    for number, line in numbered_lines(path):
        if number == 1:
            refuse_array(path, line)
        value = parse_json(line, path, "one JSON object a line", number)
        if not isinstance(value, dict):
            raise HarnessError(
                f"{path}:{number}: expected a JSON object, found {type(value).__name__}"
            )
        yield number, value
    if not number:
        raise HarnessError(f"{path}: the file is empty; expected one JSON object a line")


def read_lines(path: Path) -> Records:
    """Return all records of a file of JSON lines."""
    rows = list(stream_lines(path))
    return Records(path, [record for _, record in rows], [place for place, _ in rows])


PASSAGE_NAMES = {"id": ("_id", "pid", "docid", "doc_id", "docno"), "text": ("contents",)}
QUERY_NAMES = {"id": ("_id", "qid", "query_id"), "question": ("text", "query")}
"""Names of our fields in other tools (BEIR, Pyserini, MS MARCO)."""


def with_our_names(record: Record, names: Mapping[str, Sequence[str]]) -> Record:
    """Return the record with our names of its fields. The first known name is used for a field that
    it lacks.
    """
    renamed = dict(record)
    for ours, others in names.items():
        theirs = next((name for name in others if name in renamed), None)
        if ours not in renamed and theirs is not None:
            renamed[ours] = renamed.pop(theirs)
    return renamed


def check_record(where: str, record: Record, fields: Mapping[str, type], *body: str) -> None:
    """Raise HarnessError unless a record has its fields with their types, an id without white
    space, and text in a field of its body.
    """
    for key, kind in fields.items():
        value = record.get(key)
        if not isinstance(value, kind):
            actual = f"found {value!r:.60}" if key in record else "it is missing"
            raise HarnessError(f"{where}: field {key} must be {JSON_NAMES[kind]}, {actual}")
    name = record["id"]
    if not name or any(character.isspace() for character in name):
        raise HarnessError(f"{where}: id {name!r} must be neither empty nor hold white space")
    if is_blank(record, *body):
        raise HarnessError(
            f"{where}: {name} has an empty {' and '.join(body)}; fill it in or remove the record"
        )


def check_supporting(where: str, query: Record) -> None:
    """Raise HarnessError unless a query names its supporting passages, each once, with whole hops
    and a text as type if it has these.
    """
    passages, hops, kind = (query.get(key) for key in ("supporting_ids", "hops", "type"))
    message = _check_ids(passages)
    if hops is not None and (type(hops) is not int or not 1 <= hops < 1000):
        message = f"hops must be a whole number from 1 to 999, or missing, found {hops!r:.60}"
    if not isinstance(kind, str | None):
        message = f"type must be a text, or missing, found {kind!r:.60}"
    if message:
        raise HarnessError(f"{where}: query {query['id']}: {message}")


def _check_ids(passages: Any) -> str:
    """Return, for a message, what is wrong with the supporting ids of a query."""
    ids = passages if isinstance(passages, list) else [None]
    if passages is None:
        return "supporting_ids is missing; BEIR has its judgements in qrels/"
    if not all(isinstance(name, str) and name for name in ids):
        message = f"supporting_ids must be a list of document ids, found {passages!r:.60}"
        if all(isinstance(name, (str, int)) and name != "" for name in ids):
            message += f"; write the ids as texts: {json.dumps([*map(str, ids)])[:60]}"
        return message
    return "supporting_ids names a document twice; keep the later hop" * (len({*ids}) < len(ids))


def is_blank(record: Record, *body: str) -> bool:
    """Return whether these fields of a record hold only white space."""
    return not any(str(record[key]).strip() for key in body)


def check_queries(queries: Records, fields: Mapping[str, type]) -> None:
    """Raise HarnessError unless every query has these fields, as ``check_record`` says, and an id
    of its own.
    """
    seen: dict[str, int] = {}
    for number, record in enumerate(queries.values):
        check_record(queries.at(number), record, fields, "question")
        if (name := record["id"]) in seen:
            raise HarnessError(
                f"{queries.at(number)}: duplicate id {name}, first at {queries.at(seen[name])}; "
                "give each its own id"
            )
        seen[name] = number


def read_array(path: Path) -> Any:
    """Return the JSON value of a whole file, as upstream authors publish it."""
    value = read_json(path, "one JSON array of objects")
    if not value:
        raise HarnessError(f"{path}: the file holds no records; get the file again")
    return value


def check_chain(name: str, chain: Chain | None) -> None:
    """Raise HarnessError, which names the key, unless ``chain`` is a rule or None."""
    if chain is None or (isinstance(chain, str) and chain in ("all", "none")):
        return
    lists = chain.values() if isinstance(chain, Mapping) else [None]
    if not all(isinstance(values, Sequence) and not isinstance(values, str) for values in lists):
        raise HarnessError(
            f"{name} must be all, none, or a mapping of a field to a list of values, got {chain!r}"
        )


def chains(chain: Chain | None, queries: Iterable[Record]) -> BoolArray:
    """Return bool[Q], whether the hop order of each query's gold is known.

    Args:
        chain: None: unless the query has ``"ordered": false``; ``all``: even then; ``none``: of no
            query; a mapping: of the queries with these values, unless they have that field.
        queries: the records of the queries.

    Raises:
        HarnessError: no query has a field of the rule.
    """
    rows = list(queries)
    check_chain("chain", chain)
    named = chain if isinstance(chain, Mapping) else {}
    for key in named:
        if not any(key in row for row in rows):
            near = nearest(key, next(iter(rows), ()))
            raise HarnessError(f"dataset.chain names {key}, a field that no query has{near}")
    rules = {"ordered": [None, True], **named}
    ordered = []
    for row in rows:
        if not isinstance(row.get("ordered"), bool | None):
            raise HarnessError(
                f"query {row.get('id')}: field ordered must be true or false, found "
                f"{row['ordered']!r:.60}"
            )
        holds = all(row.get(key) in values for key, values in rules.items())
        ordered.append(chain == "all" or (holds and chain != "none"))
    return np.array(ordered, np.bool_)
