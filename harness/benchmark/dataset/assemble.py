"""Records of a corpus and of queries, checked and made into a ``Benchmark``.

Passage: ``id, title, text``. Query: ``id, question, answers, supporting_ids`` (in hop order), ``hops`` (default: how
many passages support it), ``type`` (default null); any other field is kept as JSON in the column ``extra``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.benchmark.dataset.chain import Chain, is_chain
from harness.benchmark.dataset.records import Record, Records
from harness.core.errors import HarnessError
from harness.core.identity import texts_sha256

PASSAGE = {"id": str, "title": str, "text": str}
QUERY = {"id": str, "question": str, "answers": list, "supporting_ids": list}
KNOWN = (*QUERY, "hops", "type")
JSON_NAMES = {str: "a string", list: "a list of strings", int: "an integer"}


def assemble(name: str, corpus: Records, queries: Records, chain: Chain) -> Benchmark:
    """The benchmark of these records. Raises HarnessError with file, line and mend for the first one that is wrong."""
    from datasets import Dataset

    _check(corpus, PASSAGE, "text")
    _check(queries, QUERY, "question")
    for number, query in enumerate(queries.values):
        _check_query(queries, number, query)
    passages = sorted(corpus.values, key=lambda passage: str(passage["id"]))
    numbers = {passage["id"]: number for number, passage in enumerate(passages)}
    gold = _gold(queries, numbers, corpus)
    flags = np.array([is_chain(chain, query) for query in queries.values], dtype=np.bool_)
    columns = {key: [passage[key] for passage in passages] for key in PASSAGE}
    return Benchmark(
        name=name,
        corpus=Dataset(pa.table({key: pa.array(column, pa.string()) for key, column in columns.items()})),
        queries=Dataset(_query_table(queries.values)),
        gold=gold,
        chain=flags,
        sha256=_sha256(columns, queries.values, flags),
    )


def _check(records: Records, fields: Mapping[str, type], body: str) -> None:
    """Every record has its fields with their types, an id of its own, and a body that is not empty."""
    seen: dict[str, int] = {}
    for number, record in enumerate(records.values):
        for key, kind in fields.items():
            value = record.get(key)
            if not isinstance(value, kind):
                found = f"found {value!r:.60}" if key in record else "it is missing"
                raise HarnessError(f"{records.at(number)}: field {key} must be {JSON_NAMES[kind]}, {found}")
        name = record["id"]
        if not name or any(character.isspace() for character in name):
            raise HarnessError(f"{records.at(number)}: id {name!r} must be neither empty nor hold white space")
        if name in seen:
            raise HarnessError(
                f"{records.at(number)}: duplicate id {name}, first at {records.at(seen[name])}; give each its own id"
            )
        seen[name] = number
        if not record[body].strip():
            raise HarnessError(f"{records.at(number)}: {name} has an empty {body}; fill it in or remove the record")


def _check_query(queries: Records, number: int, query: Record) -> None:
    for key in ("answers", "supporting_ids"):
        for value in query[key]:
            if not isinstance(value, str):
                raise HarnessError(
                    f"{queries.at(number)}: field {key} must be a list of strings, found {value!r:.60} in it"
                )
    if not query["supporting_ids"]:
        raise HarnessError(f"{queries.at(number)}: query {query['id']} has no supporting_ids; name its gold passages")
    if len(set(query["supporting_ids"])) < len(query["supporting_ids"]):
        raise HarnessError(f"{queries.at(number)}: query {query['id']} names a supporting id twice; name each once")
    hops, kind = query.get("hops", 1), query.get("type")
    if isinstance(hops, bool) or not isinstance(hops, int) or not 1 <= hops < 1000:
        raise HarnessError(f"{queries.at(number)}: field hops must be an integer of at least 1, found {hops!r:.60}")
    if kind is not None and not isinstance(kind, str):
        raise HarnessError(f"{queries.at(number)}: field type must be a string or null, found {kind!r:.60}")


def _gold(queries: Records, numbers: Mapping[str, int], corpus: Records) -> NDArray[np.int32]:
    width = max(len(query["supporting_ids"]) for query in queries.values)
    gold = np.full((len(queries.values), width), -1, dtype=np.int32)
    for row, query in enumerate(queries.values):
        for place, name in enumerate(query["supporting_ids"]):
            if name not in numbers:
                raise HarnessError(
                    f"{queries.at(row)}: query {query['id']} has the unknown supporting id {name}; "
                    f"add that passage to {corpus.path} or correct the id"
                )
            gold[row, place] = numbers[name]
    return gold


def _query_table(queries: Sequence[Record]) -> pa.Table:
    extra = [{key: value for key, value in query.items() if key not in KNOWN} for query in queries]
    return pa.table(
        {
            "id": pa.array([query["id"] for query in queries], pa.string()),
            "question": pa.array([query["question"] for query in queries], pa.string()),
            "answers": pa.array([query["answers"] for query in queries], pa.list_(pa.string())),
            "supporting_ids": pa.array([query["supporting_ids"] for query in queries], pa.list_(pa.string())),
            "hops": pa.array([_hops(query) for query in queries], pa.int32()),
            "type": pa.array([query.get("type") for query in queries], pa.string()),
            "extra": pa.array([json.dumps(value, sort_keys=True, ensure_ascii=False) for value in extra], pa.string()),
        }
    )


def _hops(query: Record) -> Any:
    return query.get("hops", len(query["supporting_ids"]))


def _sha256(corpus: Mapping[str, Sequence[str]], queries: Sequence[Record], chain: NDArray[np.bool_]) -> str:
    """Of the corpus sorted by id and of the queries in their order; ``extra`` counts only by the chains it makes."""
    texts = [str(len(corpus["id"]))]
    for passage in zip(*corpus.values(), strict=True):
        texts.extend(passage)
    for query, flag in zip(queries, chain.tolist(), strict=True):
        values = [query[key] for key in QUERY] + [_hops(query), query.get("type"), flag]
        texts.append(json.dumps(values, ensure_ascii=False))
    return texts_sha256(texts)
