"""What a twin must keep, measured before and after, and lines that say what was changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.benchmark.text import words
from harness.benchmark.twin.content import Content

Measures = dict[str, int]


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


def describe(card: Mapping[str, Any]) -> list[str]:
    """Lines to print of ``Benchmark.twin``."""
    measured = [(name, count, card["before"][name]) for name, count in card["after"].items()]
    return [
        f"twin of {card['of']}, {card['kind']}, seed {card['seed']}:",
        *(f"  {name}: {count:,}" for name, count in card["changes"].items()),
        *(f"  {name}: {now:,}, {f'before {then:,}' if now != then else 'as before'}" for name, now, then in measured),
    ]
