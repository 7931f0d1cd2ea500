"""MuSiQue. The hops are the steps of ``question_decomposition``, in its order, by
``paragraph_support_idx``.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import Contexts, CorpusRecords, answers_of, rows_of

PARAGRAPH = ("idx", "title", "paragraph_text", "is_supporting")
STEP = ("id", "question", "answer", "paragraph_support_idx")


@dataclass(frozen=True)
class Musique(Published):
    """MuSiQue's questions with their contexts.

    Titles repeat in MuSiQue, so gold is found by title and text. The type is the beginning of the
    id (``3hop2``).
    """

    gold = "question_decomposition"

    def contexts(self, record: Record) -> Contexts:
        """Return the paragraphs of a question (see Published)."""
        rows = rows_of(record, "paragraphs", PARAGRAPH)
        return [(row["title"], row["paragraph_text"]) for row in rows]

    def query(self, record: Record, passages: CorpusRecords) -> Record:
        """Return the query of a record (see Published)."""
        rows = rows_of(record, "paragraphs", PARAGRAPH)
        paragraphs = {row.get("idx", n): row for n, row in enumerate(rows)}
        steps = []
        for step in rows_of(record, "question_decomposition", STEP):
            number = step["paragraph_support_idx"]
            if number not in paragraphs:
                raise LookupError(
                    f"field question_decomposition: paragraph_support_idx {number} is no paragraph"
                )
            paragraph = paragraphs[number]
            passage = passages.find(paragraph["title"], paragraph["paragraph_text"])
            steps.append(
                {
                    "question": step["question"],
                    "answer": step["answer"],
                    "supporting_id": passage["id"],
                }
            )
        gold = list(dict.fromkeys(step["supporting_id"] for step in steps))
        return {
            "id": record["id"],
            "question": record["question"],
            "answers": answers_of(record),
            "supporting_ids": gold,
            "hops": len(gold),
            "type": record["id"].partition("__")[0],
            "decomposition": steps,
        }
