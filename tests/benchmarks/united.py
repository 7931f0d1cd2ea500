"""A large benchmark of real texts: all corpora of HARNESS_DATA in one, then copies of them with
other names.

A copy has every passage again, and in place of each word that the corpora mostly write with a
capital another such word, the same in the whole copy: its passages speak of one another as the real
ones do, of other names. So a corpus of any size has the words, lengths and links of real text, and
no copy answers a real question.
"""

from __future__ import annotations

import itertools
import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.benchmark.source.prepared_files import read_prepared

NAMES = ("2wikimultihopqa", "musique_804", "hotpotqa", "nq", "popqa", "musique_train")
WORD = re.compile(r"[^\W\d_]+")
Row = Mapping[str, Any]


def united(passages: int, queries: int) -> tuple[Iterator[Row], list[Row]]:
    """So many passages, the gold of the queries first, and so many queries, evenly from all
    benchmarks.
    """
    if "HARNESS_DATA" not in os.environ:
        raise LookupError("needs the prepared benchmarks: set HARNESS_DATA to their folder")
    first: dict[tuple[str, str], Row] = {}
    same: dict[str, str] = {}
    asked: list[Row] = []
    for folder in NAMES:
        if (found := read_prepared(Path(os.environ["HARNESS_DATA"]) / folder)) is None:
            continue
        for name, title, text in found[0].passages():
            same[name] = first.setdefault(
                (title, text), {"id": name, "title": title, "text": text}
            )["id"]
        asked += found[1].values
    kept = [
        {
            **row,
            "id": f"q{number}",
            "supporting_ids": list(dict.fromkeys(same[one] for one in row["supporting_ids"])),
        }
        for number, row in enumerate(asked[:: max(1, len(asked) // queries)][:queries])
    ]
    gold = {one for row in kept for one in row["supporting_ids"]}
    real = sorted(first.values(), key=lambda row: row["id"] not in gold)
    return itertools.islice(itertools.chain(real, _copies(real)), passages), kept


def _copies(rows: list[Row]) -> Iterator[Row]:
    """Copies without end."""
    names = _names(rows)
    for number in itertools.count(1):
        others = names.copy()
        random.Random(number).shuffle(others)
        other = dict(zip(names, others, strict=True))

        def renamed(text: str, other: Mapping[str, str] = other) -> str:
            return WORD.sub(lambda match: other.get(match[0], match[0]), text)

        for row in rows:
            yield {
                "id": f"{row['id']}-{number}",
                "title": renamed(row["title"]),
                "text": renamed(row["text"]),
            }


def _names(rows: list[Row]) -> list[str]:
    """The words that stand with a capital more often than without one."""
    count = Counter(
        word for row in rows for text in (row["title"], row["text"]) for word in WORD.findall(text)
    )
    return [
        word for word in sorted(count) if word[0].isupper() and count[word] > count[word.lower()]
    ]
