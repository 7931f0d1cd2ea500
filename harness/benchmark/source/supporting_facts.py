"""Records in the form of HotpotQA: ``supporting_facts`` [[title, sentence], ...], ``context`` [[title, [text, ..]]]."""

from __future__ import annotations

from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import Passages


def gold_passages(record: Record, passages: Passages) -> list[Record]:
    """The gold passages, found by title and text, in the order of their first appearance in ``supporting_facts``."""
    texts = {title: "".join(sentences) for title, sentences in record["context"]}
    titles = dict.fromkeys(title for title, _ in record["supporting_facts"])
    return [passages.find(title, texts.get(title)) for title in titles]


def query_of(record: Record, gold: list[Record]) -> dict[str, object]:
    """The fields that both benchmarks share."""
    return {
        "id": record["_id"] if "_id" in record else record["id"],
        "question": record["question"],
        "answers": list(dict.fromkeys([record["answer"], *record.get("answer_aliases", [])])),
        "supporting_ids": [passage["id"] for passage in gold],
        "hops": len(gold),
        "type": record["type"],
    }
