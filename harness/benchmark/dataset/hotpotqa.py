"""HotpotQA: it gives no hop order, so bridge questions are ordered by the answer, else by what the
question names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from harness.benchmark.records import UNKNOWN
from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import (
    Contexts,
    Passages,
    contexts_of,
    gold_passages,
    query_of,
)

JOINT = ""
"""HotpotQA's sentences begin with their space."""


@dataclass(frozen=True)
class HotpotQA(Published):
    """``order_source`` says by which rule a query's gold is ordered; only ``answer_last`` is a
    chain (see the card), all others say ``"ordered": false``.
    """

    def contexts(self, record: Record) -> Contexts:
        """See Published."""
        return [(title, text) for title, _, text in contexts_of(record, JOINT)]

    def query(self, record: Record, passages: Passages) -> Record:
        """See Published."""
        gold = gold_passages(record, passages, JOINT)
        source = "supporting_facts"
        if record["type"] == "bridge":
            gold, source = bridge_order(record["question"], record["answer"], gold)
        return {
            **query_of(record, gold),
            "level": record.get("level"),
            "order_source": source,
            **({} if source == "answer_last" else UNKNOWN),
        }


def bridge_order(question: str, answer: str, gold: Sequence[Record]) -> tuple[list[Record], str]:
    """Gold in the order of its hops, as well as it can be told, and the rule that told it.

    The passage that holds the answer last, where just one does (``answer_last``); else the one
    whose title the question names first, where it names just one (``question_title_first``); else
    as they are (``supporting_facts``).
    """
    holders = [
        passage for passage in gold if _holds(f"{passage['title']}\n{passage['text']}", answer)
    ]
    if len(holders) == 1:
        return [
            *(passage for passage in gold if passage is not holders[0]),
            holders[0],
        ], "answer_last"
    named = [passage for passage in gold if _holds(question, passage["title"].partition(" (")[0])]
    if len(named) == 1:
        return [
            named[0],
            *(passage for passage in gold if passage is not named[0]),
        ], "question_title_first"
    return list(gold), "supporting_facts"


def _holds(text: str, words: str) -> bool:
    """Whether whole words stand in a text, whatever their case."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None
