"""MuSiQue: the hops are the steps of ``question_decomposition``, in its order, by
``paragraph_support_idx``.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import Passages


@dataclass(frozen=True)
class Musique(Published):
    """Titles repeat in MuSiQue: gold is found by title and text. The type is the head of the id
    (``3hop2``).
    """

    def query(self, record: Record, passages: Passages) -> Record:
        """See Published."""
        paragraphs = {
            paragraph.get("idx", n): paragraph for n, paragraph in enumerate(record["paragraphs"])
        }
        steps = []
        for step in record["question_decomposition"]:
            if step["paragraph_support_idx"] is None:
                raise LookupError(
                    "a step has no paragraph_support_idx, as in a question that is not answerable"
                )
            paragraph = paragraphs[step["paragraph_support_idx"]]
            found = passages.find(paragraph["title"], paragraph["paragraph_text"])
            steps.append(
                {
                    "question": step["question"],
                    "answer": step["answer"],
                    "supporting_id": found["id"],
                }
            )
        gold = list(dict.fromkeys(step["supporting_id"] for step in steps))
        return {
            "id": record["id"],
            "question": record["question"],
            "answers": list(dict.fromkeys([record["answer"], *record.get("answer_aliases", [])])),
            "supporting_ids": gold,
            "hops": len(gold),
            "type": record["id"].partition("__")[0],
            "decomposition": steps,
        }
