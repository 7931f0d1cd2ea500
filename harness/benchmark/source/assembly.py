"""Records of a corpus and of queries, checked and made into a ``Benchmark``.

A passage has ``id, title, text``. A query has ``id, question, answers, supporting_ids`` (in hop
order), ``hops`` (default: the number of supporting passages) and ``type`` (default null). Any other
field is kept as JSON in the column ``extra``.

A rule says which queries have a chain as their gold, so that they have a last hop in the strict
sense. For a user's own folder, and in `harness evaluate` and `compare`, only these count in
last_hop.
"""

from __future__ import annotations

import json
import logging
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from harness.benchmark import Benchmark
from harness.benchmark.record_lines import QUESTION
from harness.benchmark.source.corpus import Corpus, read_corpus
from harness.benchmark.source.records import (
    Chain,
    Record,
    Records,
    chains,
    check_queries,
    check_supporting,
)
from harness.core.arrays import BoolArray, Int32Array
from harness.core.errors import HarnessError, texts_of
from harness.core.identity import texts_sha256

log = logging.getLogger(__name__)
QUERY = {"id": str, "question": str, "answers": list, "supporting_ids": list}
TEXT, TEXTS = pa.string(), pa.list_(pa.string())
QUERIES = pa.schema(
    {"id": TEXT, "question": TEXT, "answers": TEXTS, "supporting_ids": TEXTS}
    | {"hops": pa.int32(), "type": TEXT, "extra": TEXT}
)


def assemble(
    name: str,
    corpus: Corpus | Records,
    queries: Records,
    chain: Chain | None,
    asked: Chain | None = None,
) -> Benchmark:
    """Return the benchmark of these records. Queries with empty ``supporting_ids`` are left out and
    counted.

    Args:
        name: its name.
        corpus: the result of ``read_corpus``, or the records of a small corpus.
        queries: the queries.
        chain: the rule of chains.
        asked: the rule that takes its place, as typed. It also says whose hop order is known; None:
            of the queries without ``"ordered": false``.

    Raises:
        HarnessError: a record is wrong; names file, line and mend of the first one.
    """
    from datasets import Dataset

    if isinstance(corpus, Records):
        corpus = read_corpus(corpus.path, corpus.numbered(), corpus.unit)
    total, queries = len(queries.values), answerable(queries)
    counts = {}
    if left_out := total - len(queries.values):
        counts["queries"] = left_out
        log.warning(
            "%s: %d of %d queries have no supporting_ids; left out", queries.path, left_out, total
        )
    rule = chain if asked is None else asked
    gold, flags = check_gold(corpus, queries, rule)
    sha256 = texts_sha256(_content(corpus, queries.values, flags))
    benchmark = Benchmark(
        name=name,
        # without a fingerprint the library would copy the table to hash it
        corpus=Dataset(corpus.table, fingerprint=sha256),
        queries=Dataset(_query_table(queries.values)),
        gold=gold,
        chain=flags,
        sha256=sha256,
        left_out=counts,
    )
    return benchmark.with_order(chains(asked, queries.values))


def answerable(queries: Records) -> Records:
    """Return the queries that have supporting passages. Raise HarnessError if none is left."""
    numbers = [
        number for number, query in enumerate(queries.values) if query.get("supporting_ids") != []
    ]
    if not numbers:
        raise HarnessError(
            f"{queries.path}: no query has supporting_ids; name the gold passages of some"
        )
    return queries.take(numbers)


def with_chain(benchmark: Benchmark, chain: Chain) -> Benchmark:
    """Return the benchmark with a known hop order only for the queries of this rule."""
    rows = ({**row, **json.loads(row["extra"])} for row in benchmark.queries)
    return benchmark.with_order(chains(chain, rows))


def check_gold(
    corpus: Corpus, queries: Records, chain: Chain | None
) -> tuple[Int32Array, BoolArray]:
    """Return ``gold`` int32[Q, H] and ``chain`` bool[Q] as in ``Benchmark``.

    Raises:
        HarnessError: a query is wrong; names file, line and mend of the first one.
    """
    check_queries(queries, QUERY)
    for number, query in enumerate(queries.values):
        texts_of(f"{queries.at(number)}: field answers", query["answers"])
        check_supporting(queries.at(number), query)
    return _gold(queries, corpus), chains(chain, queries.values)


def _gold(queries: Records, corpus: Corpus) -> Int32Array:
    numbers = corpus.numbers(name for query in queries.values for name in query["supporting_ids"])
    width = max(len(query["supporting_ids"]) for query in queries.values)
    gold = np.full((len(queries.values), width), -1, dtype=np.int32)
    for row, query in enumerate(queries.values):
        for place, name in enumerate(query["supporting_ids"]):
            if name not in numbers:
                forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
                same = "write both as NFC" if corpus.numbers(forms) else "correct the id"
                raise HarnessError(
                    f"{queries.at(row)}: query {query['id']} has the unknown supporting id {name}; "
                    f"add that passage to {corpus.path} or {same}"
                )
            gold[row, place] = numbers[name]
    return gold


def _query_table(queries: Sequence[Record]) -> pa.Table:
    rows = []
    for query in queries:
        more = {key: value for key, value in query.items() if key not in QUESTION}
        extra = json.dumps(more, sort_keys=True, ensure_ascii=False)
        rows.append({**query, "hops": _hops(query), "extra": extra})
    return pa.Table.from_pylist(rows, QUERIES)


def _hops(query: Record) -> Any:
    hops = query.get("hops")
    return len(query["supporting_ids"]) if hops is None else hops


def _content(corpus: Corpus, queries: Sequence[Record], chain: BoolArray) -> Iterator[str]:
    """Yield the texts that are hashed: the corpus sorted by id, and the queries in their order.
    ``extra`` counts only by its chains.
    """
    yield str(len(corpus.table))
    for passage in corpus.passages():
        yield from passage
    for query, flag in zip(queries, chain.tolist(), strict=True):
        values = [query[key] for key in QUERY] + [_hops(query), query.get("type"), flag]
        yield json.dumps(values, ensure_ascii=False)
