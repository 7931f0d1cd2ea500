"""The schema of HotpotQA and 2WikiMultiHopQA: contexts of sentences, and supporting facts that name
a title and a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.benchmark.content import spaced
from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import Contexts, CorpusRecords, answers_of, rows_of


class Facts(Published):
    """Questions with ``context`` and ``supporting_facts``."""

    def contexts(self, record: Record) -> Contexts:
        """Return the paragraphs of a question (see Published)."""
        return [(title, text) for title, _, text in _paragraphs(record)]

    def fields(self, record: Record, gold: Sequence[Record]) -> dict[str, Any]:
        """Return the fields of a query that both data sets have. ``gold`` is in hop order."""
        return {
            "id": record["_id"] if "_id" in record else record["id"],
            "question": record["question"],
            "answers": answers_of(record),
            "supporting_ids": [passage["id"] for passage in gold],
            "hops": len(gold),
            "type": record["type"],
        }


def gold_passages(record: Record, passages: CorpusRecords) -> list[Record]:
    """Return the gold passages, found by title and text, in the order of first appearance in
    ``supporting_facts``.

    If several paragraphs have one title, the first one with all its supporting sentences is taken.
    """
    facts: dict[str, list[int]] = {}
    for row in rows_of(record, "supporting_facts", ("title", "sent_id")):
        facts.setdefault(row["title"], []).append(row["sent_id"])
    contexts = _paragraphs(record)
    gold = []
    for title, numbers in facts.items():
        under = [(sentences, text) for name, sentences, text in contexts if name == title]
        whole = [text for sentences, text in under if max(numbers) < len(sentences)]
        texts = [*whole, *(text for _, text in under), None]
        try:
            gold.append(passages.find(title, texts[0]))
        except LookupError as error:
            raise LookupError(f"field supporting_facts: {error}") from error
    return list({passage["id"]: passage for passage in gold}.values())


def _paragraphs(record: Record) -> list[tuple[str, list[str], str]]:
    """Return title, sentences and text of each paragraph. There is one space between two
    sentences.
    """
    paragraphs = []
    for row in rows_of(record, "context", ("title", "sentences")):
        title, sentences = row["title"], row["sentences"]
        if not (isinstance(title, str) and isinstance(sentences, list)):
            raise ValueError(f"field context must have titles and sentences, found {row!r:.60}")
        paragraphs.append((title, sentences, spaced(" ".join(sentences))))
    return paragraphs
