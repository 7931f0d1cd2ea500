"""HotpotQA. It has no hop order: bridge questions are ordered by the answer, or by the title that
the question names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.benchmark.record_lines import UNKNOWN
from harness.benchmark.source.facts import Facts, gold_passages
from harness.benchmark.source.records import Record, Records
from harness.benchmark.source.upstream import CorpusRecords

CHAIN = "answer_last"
"""The rule by which a query's gold is a chain."""


@dataclass(frozen=True)
class HotpotQA(Facts):
    """HotpotQA's questions with their contexts.

    ``order_source`` names the rule that orders a query's gold. Only ``answer_last`` is a chain (see
    the card). All others have ``"ordered": false``.
    """

    def complete(self, folder: Path, queries: Records) -> Records:
        """Return the prepared queries, marked as the publishers' are (see Published)."""
        return queries.with_values(
            [{**row, **_order(row.get("order_source", CHAIN))} for row in queries.values]
        )

    def query(self, record: Record, passages: CorpusRecords) -> Record:
        """Return the query of a record (see Published)."""
        gold = gold_passages(record, passages)
        source = "supporting_facts"
        if record["type"] == "bridge":
            gold, source = bridge_order(record["question"], record["answer"], gold)
        return {
            **self.fields(record, gold),
            "level": record.get("level"),
            "order_source": source,
            **_order(source),
        }


def _order(source: str) -> Mapping[str, bool]:
    """Return the fields that mark a question whose hop order is unknown."""
    return {} if source == CHAIN else UNKNOWN


def bridge_order(question: str, answer: str, gold: Sequence[Record]) -> tuple[list[Record], str]:
    """Return the gold in the most likely order of its hops, and the rule of that order.

    If exactly one passage holds the answer, it is last (``answer_last``). Otherwise, if the
    question names exactly one title, its passage is first (``question_title_first``). Otherwise the
    order stays (``supporting_facts``).
    """
    holders = [
        passage for passage in gold if _holds(f"{passage['title']}\n{passage['text']}", answer)
    ]
    if len(holders) == 1:
        return sorted(gold, key=lambda passage: passage is holders[0]), CHAIN
    named = [passage for passage in gold if _holds(question, passage["title"].partition(" (")[0])]
    if len(named) == 1:
        return sorted(gold, key=lambda passage: passage is not named[0]), "question_title_first"
    return list(gold), "supporting_facts"


def _holds(text: str, words: str) -> bool:
    """Return whether a text holds these words in a row, regardless of case, accents and
    punctuation.
    """
    return f" {_words(words)} " in f" {_words(text)} "


def _words(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", bare))
