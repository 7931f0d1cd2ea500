"""Corpora with judgements but no order of hops: BEIR's form, from ir_datasets or from the Hub."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.benchmark import Benchmark
from harness.benchmark.dataset.assemble import assemble
from harness.benchmark.dataset.lock import Lock
from harness.benchmark.dataset.records import Record, Records
from harness.core.artifacts import Store
from harness.core.errors import HarnessError

log = logging.getLogger(__name__)
Judgements = Mapping[str, Mapping[str, int]]
"""Relevance by passage by query; at least 1 supports the query."""


def benchmark(
    source: str, passages: Iterable[Record], questions: Mapping[str, str], judged: Judgements, store: Store
) -> Benchmark:
    """The benchmark named ``source``: queries with a supporting passage that is there, in the order of ``questions``.

    Passages without text, and queries without supporting passage, are left out; the queries are counted in a warning.
    Judgements have no order, so the benchmark is not ``ordered`` and no query has a chain. Its hash is remembered in
    the runs and checked from then on. Raises HarnessError where nothing is left.
    """
    whole = [passage for passage in passages if str(passage["text"]).strip()]
    known = {str(passage["id"]) for passage in whole}
    queries = []
    for name, question in questions.items():
        relevant = judged.get(name, {})
        gold = sorted(passage for passage, grade in relevant.items() if grade >= 1 and passage in known)
        if gold and question.strip():
            queries.append({"id": name, "question": question, "answers": [], "supporting_ids": gold})
    if not queries:
        raise HarnessError(
            f"{source}: none of its {len(questions)} queries has a supporting passage among its {len(whole)} passages"
        )
    if left_out := len(questions) - len(queries):
        log.warning("%s: %d of %d queries have no supporting passage; left out", source, left_out, len(questions))
    found = [Records(Path(source), values, range(1, len(values) + 1), ": record ") for values in (whole, queries)]
    made = assemble(source.replace("/", "-"), found[0], found[1], "none")
    Lock.of(store).hold(source, {"sha256": made.sha256}, f"the benchmark {source}")
    return dataclasses.replace(made, ordered=False)
