"""What is odd in the data of a benchmark and may distort scores, with counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from harness.benchmark.benchmark import Benchmark
from harness.benchmark.content import spaced
from harness.core.arrays import Int64Array

BLOCK = 4096
"""Number of passages whose texts are in memory at once."""
LABELS = {
    "judgements": "relevant passages that the corpus lacks",
    "passages": "passages left out, without title and text",
    "queries": "questions left out, without gold in the corpus",
    "judged queries": "judged queries that are not among the questions",
    "copies": "passages with the text of another one",
    "gold copies": "gold passages with a copy that is not gold (to find the copy is a miss)",
    "own documents": "questions that are documents of the corpus, under the same id (their lists "
    "begin with it; own_document=drop leaves it out, as BEIR does)",
}
"""What each count is of."""


def find_oddities(benchmark: Benchmark) -> dict[str, int]:
    """Return the counts above 0 of what is odd in a benchmark, by the keys of ``LABELS``.

    A copy has the same text as another passage, apart from white space; its title may differ.
    """
    copies = _copies(benchmark)
    sizes = np.bincount(copies)
    gold_copies: set[int] = set()
    for row in benchmark.gold:
        gold = row[row >= 0]
        labels, counts = np.unique(copies[gold], return_counts=True)
        outside = labels[sizes[labels] > counts]
        gold_copies.update(gold[np.isin(copies[gold], outside)].tolist())
    oddities = {
        **benchmark.left_out,
        "copies": int((sizes[copies] > 1).sum()),
        "gold copies": len(gold_copies),
        "own documents": _own_documents(benchmark) if benchmark.own_document == "keep" else 0,
    }
    return {name: count for name, count in oddities.items() if count}


def describe_oddities(counts: Mapping[str, int]) -> list[str]:
    """Return a text for each count: ``passages with the text of another one: 6``."""
    return [f"{LABELS.get(name, name)}: {count:,}" for name, count in counts.items()]


def _copies(benchmark: Benchmark) -> Int64Array:
    """Return int64[D], a number of each passage that those with its text share."""
    passages = benchmark.passages
    batches = pa.table({"title": passages.titles, "text": passages.texts}).to_batches(BLOCK)
    columns = (zip(*map(pa.Array.to_pylist, batch.columns), strict=True) for batch in batches)
    texts = (text or title or "" for batch in columns for title, text in batch)
    hashes = np.fromiter(map(hash, map(spaced, texts)), np.int64, len(passages))
    return np.unique(hashes, return_inverse=True)[1].astype(np.int64)


def _own_documents(benchmark: Benchmark) -> int:
    """Return the number of questions with the id and the text of a document."""
    places = pc.index_in(benchmark.query_ids, value_set=benchmark.doc_ids).to_pylist()
    passages, count = benchmark.passages, 0
    for place, question in zip(places, benchmark.questions, strict=True):
        if place is not None:
            texts = (passages[place], passages.texts[place].as_py())
            count += spaced(question) in map(spaced, texts)
    return count
