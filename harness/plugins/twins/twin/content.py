"""What a twin may change: the passages and queries of a benchmark, as records that a folder of its own could hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.benchmark.benchmark import Benchmark
from harness.benchmark.records import passage_records, question_records
from harness.benchmark.text import words

Changes = dict[str, int]
"""What was changed, in words, and how often."""
Measures = dict[str, int]


@dataclass(frozen=True)
class Content:
    """corpus: ``id, title, text`` of each passage.

    queries: ``id, question, answers, supporting_ids, hops, type`` and whatever else a query has.
    """

    corpus: list[dict[str, str]]
    queries: list[dict[str, Any]]

    @classmethod
    def of(cls, benchmark: Benchmark) -> Content:
        """The records of a benchmark."""
        return cls(list(passage_records(benchmark)), list(question_records(benchmark)))

    def texts(self) -> Iterator[tuple[str, str]]:
        """Field and text of everything that ``map`` changes."""
        for passage in self.corpus:
            yield "title", passage["title"]
            yield "text", passage["text"]
        for query in self.queries:
            yield "question", query["question"]
            yield from (("answer", answer) for answer in query["answers"])
            yield from (("step", text) for text in _strings(query.get("decomposition")))

    def map(self, change: Callable[[str], str]) -> Content:
        """Every title, text, question, answer and step of a question's ``decomposition`` changed by a function."""
        corpus = [{**row, "title": change(row["title"]), "text": change(row["text"])} for row in self.corpus]
        queries = [
            {**row, "question": change(row["question"]), "answers": [change(answer) for answer in row["answers"]]}
            for row in self.queries
        ]
        for row in queries:
            if "decomposition" in row:
                row["decomposition"] = _mapped(row["decomposition"], change)
        return Content(corpus, queries)


def _strings(value: Any) -> Iterator[str]:
    """The texts of a JSON value; an id of a passage is none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key != "supporting_id":
                yield from _strings(item)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "supporting_id" else _mapped(item, change) for key, item in value.items()}
    return value


def measure(content: Content) -> Measures:
    """Passages, their words and characters, and of how many questions an answer stands in a gold passage.

    An answer stands in a passage where its words (case-folded) follow one another in its title or text.
    """
    spelled = {row["id"]: (_spelled(row["title"]), _spelled(row["text"])) for row in content.corpus}
    return {
        "passages": len(content.corpus),
        "words": sum(whole.count(" ") - 1 for pair in spelled.values() for whole in pair if whole.strip()),
        "characters": sum(len(row["title"]) + len(row["text"]) for row in content.corpus),
        "questions with an answer in a gold passage": sum(
            any(
                _spelled(answer).strip() and _spelled(answer) in part
                for answer in query["answers"]
                for name in query["supporting_ids"]
                for part in spelled[name]
            )
            for query in content.queries
        ),
    }


def _spelled(text: str) -> str:
    """The words with one space before, between and after them."""
    return f" {' '.join(words(text).texts)} "


def describe_changes(card: Mapping[str, Any]) -> list[str]:
    """Lines to print of ``Benchmark.twin``."""
    measured = [(name, count, card["before"][name]) for name, count in card["after"].items()]
    return [
        f"twin of {card['of']}, {card['kind']}, seed {card['seed']}:",
        *(f"  {name}: {count:,}" for name, count in card["changes"].items()),
        *(f"  {name}: {now:,}, {f'before {then:,}' if now != then else 'as before'}" for name, now, then in measured),
    ]
