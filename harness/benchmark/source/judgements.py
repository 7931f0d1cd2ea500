"""Corpora with judgements but no order of hops: BEIR's form, from ir_datasets or from the Hub."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.source.assembly import assemble
from harness.benchmark.source.corpus import read_corpus
from harness.benchmark.source.lock import Lock
from harness.benchmark.source.records import Record, Records, Stream
from harness.core.errors import HarnessError
from harness.work.store import Store

log = logging.getLogger(__name__)
Judgements = Mapping[str, Mapping[str, int]]
"""Relevance by passage by query; at least 1 supports the query."""


def benchmark(
    source: str,
    passages: Callable[[], Iterator[Record]],
    questions: Mapping[str, str],
    judged: Judgements,
    store: Store,
    splits: Mapping[str, str],
    key: str | None = None,
) -> Benchmark:
    """The benchmark named ``source``: queries with a supporting passage that is there, in the order of ``questions``.

    splits: of each judged query, kept as its field ``split``.    key: what its hash is remembered by, where it is not
    ``source``. Passages without text, and queries without supporting passage, are left out; the queries are counted in
    a warning. Judgements have no order, so no query is ``ordered`` or has a chain. Its hash and counts are remembered
    in the runs and checked from then on. Raises HarnessError where nothing is left.
    """
    rows = functools.partial(_numbered, passages)
    corpus = read_corpus(Stream(Path(source), rows, ": record "), store.root)
    relevant = {
        name: sorted(passage for passage, grade in grades.items() if grade >= 1) for name, grades in judged.items()
    }
    there = corpus.numbers(passage for names in relevant.values() for passage in names)
    queries, places = [], []
    for place, (name, question) in enumerate(questions.items(), 1):
        gold = [passage for passage in relevant.get(name, ()) if passage in there]
        if gold and question.strip():
            queries.append(
                {"id": name, "question": question, "answers": [], "supporting_ids": gold, "split": splits[name]}
            )
            places.append(place)
    if not queries:
        raise HarnessError(
            f"{source}: none of its {len(questions)} queries has a supporting passage among its {len(corpus.table)} "
            "passages"
        )
    if left_out := len(questions) - len(queries):
        log.warning("%s: %d of %d queries have no supporting passage; left out", source, left_out, len(questions))
    asked = Records(Path(source), queries, places, ": query ")
    made = assemble(source.replace("/", "-"), corpus, asked, "none")
    counts = {"passages": len(corpus.table), "queries": len(queries), "queries_left_out": left_out}
    Lock.of(store).hold(key or source, {"sha256": made.sha256, **counts}, f"the benchmark {source}")
    return made.without_order(~made.chain)


def add_judgements(
    judged: dict[str, dict[str, int]], splits: dict[str, str], rows: Iterable[tuple[str, str, int]], split: str
) -> None:
    """Put judgements (query, passage, relevance) of a split to those of others, and the split of each of their queries.

    Raises HarnessError for a query that another split has, too.
    """
    for query, passage, grade in rows:
        if (other := splits.setdefault(query, split)) != split:
            raise HarnessError(f"query {query} is judged in the splits {other} and {split}; name one of them")
        judged.setdefault(query, {})[passage] = grade


def _numbered(passages: Callable[[], Iterator[Record]]) -> Iterator[tuple[int, Record]]:
    for place, passage in enumerate(passages(), 1):
        if str(passage["text"]).strip():
            yield place, passage
