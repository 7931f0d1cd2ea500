"""Natural Questions (``nq_rear``) as HippoRAG 2 publishes it: single-hop questions with flagged
contexts.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from harness.benchmark.source import Passages, Published, Record


@dataclass(frozen=True)
class NQ(Published):
    """NQ-open has no ids: a query's is ``nq-open-`` and the first 16 hex digits of the MD5 of its
    question.
    """

    def query(self, record: Record, passages: Passages) -> Record:
        """See Published."""
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
