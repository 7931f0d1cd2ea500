"""PopQA as published by HippoRAG 2: single-hop questions on Wikidata facts, flagged paragraphs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from harness.benchmark.source.published import Published
from harness.benchmark.source.records import Record
from harness.benchmark.source.upstream import CorpusRecords


@dataclass(frozen=True)
class PopQA(Published):
    """Gold are the flagged paragraphs, with the subject's page (``s_wiki_title``) first."""

    def query(self, record: Record, passages: CorpusRecords) -> Record:
        """Return the query of a record. See ``Published``."""
        flagged = [paragraph for paragraph in record["paragraphs"] if paragraph["is_supporting"]]
        flagged.sort(key=lambda paragraph: paragraph["title"] != record.get("s_wiki_title"))
        gold = []
        for paragraph in flagged:
            text = paragraph["text"] if "text" in paragraph else paragraph["paragraph_text"]
            gold.append(passages.find(paragraph["title"], text)["id"])
        answers = [
            record["obj"],
            *_list(record["possible_answers"]),
            *_list(record.get("o_aliases", [])),
        ]
        return {
            "id": str(record["id"]),
            "question": record["question"],
            "answers": list(dict.fromkeys(answers)),
            "supporting_ids": list(dict.fromkeys(gold)),
            "hops": 1,
            "type": record.get("prop"),
        }


def _list(value: str | Sequence[str]) -> Sequence[str]:
    """Return a list; PopQA stores its lists as JSON in a string."""
    values: Sequence[str] = json.loads(value) if isinstance(value, str) else value
    return values
