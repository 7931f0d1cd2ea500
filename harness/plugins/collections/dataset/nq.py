"""Natural Questions (``nq_rear``) as published by HippoRAG 2: single-hop questions, flagged
contexts.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import CorpusRecords


@dataclass(frozen=True)
class NQ(Published):
    """NQ-open without ids: a query's id is ``nq-open-`` and 16 hex digits of its question's MD5."""

    def query(self, record: Record, passages: CorpusRecords) -> Record:
        """Return the query of a record. See ``Published``."""
        question = record["question"]
        gold = [
            passages.find(c["title"], c["text"])["id"]
            for c in record["contexts"]
            if c["is_supporting"]
        ]
        return {
            "id": f"nq-open-{hashlib.md5(question.encode(), usedforsecurity=False).hexdigest()[:16]}",  # noqa: E501
            "question": question,
            "answers": record["reference"],
            "supporting_ids": list(dict.fromkeys(gold)),
            "hops": 1,
            "type": None,
        }
