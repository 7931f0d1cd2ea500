"""Files as HippoRAG publishes them: ``<name>_corpus.json`` and ``<name>.json``, each one JSON
value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.benchmark.source.records import Record, Records, read_array
from harness.core.errors import HarnessError
from harness.core.table import counted


@dataclass(frozen=True)
class Passages:
    """The passages of a corpus file, in its order, with ids ``<name>-00000``.

    Equal (title, text) pairs, white space aside, are one passage.    total: how many records the
    file holds.
    """

    records: Records
    total: int

    @cached_property
    def by_title(self) -> Mapping[str, list[Record]]:
        """The passages under each title."""
        found: dict[str, list[Record]] = {}
        for passage in self.records.values:
            found.setdefault(passage["title"], []).append(passage)
        return found

    def find(self, title: str, text: str | None) -> Record:
        """The passage of that title and text (white space aside); without a text, the only one of
        that title.
        """
        under = self.by_title.get(_spaced(title), [])
        same = (
            under
            if text is None
            else [p for p in under if "".join(p["text"].split()) == "".join(text.split())]
        )
        if len(same) != 1:
            count = len(under)
            raise LookupError(
                f"its passage {title!r} is not in {self.records.path} "
                f"({counted(count, 'passage')} with that title"
                f"{', with other texts' if count and not same else ''})"
            )
        return same[0]


def read_passages(path: Path, name: str) -> Passages:
    """A corpus file: a list of ``{title, text}``, or, as HippoRAG 1 has it,
    ``{title: [sentences]}``.
    """
    raw = read_array(path)
    if isinstance(raw, dict):
        raw = [{"title": title, "text": "".join(sentences)} for title, sentences in raw.items()]
    seen: dict[tuple[str, str], int] = {}
    for number, record in enumerate(_objects(path, raw)):
        for key in ("title", "text"):
            if not isinstance(record.get(key), str):
                raise HarnessError(
                    f"{path}: record {number}: field {key} must be a string, found "
                    f"{record.get(key)!r:.60}"
                )
        seen.setdefault((_spaced(record["title"]), _spaced(record["text"])), number)
    values = [
        {"id": f"{name}-{k:05d}", "title": title, "text": text}
        for k, (title, text) in enumerate(seen)
    ]
    return Passages(Records(path, values, list(seen.values()), ": record "), len(raw))


def read_questions(path: Path) -> Records:
    """A questions file: a list of objects."""
    records = _objects(path, read_array(path))
    return Records(path, records, range(len(records)), ": record ")


def _objects(path: Path, raw: object) -> Sequence[Record]:
    if not isinstance(raw, list) or not all(isinstance(record, dict) for record in raw):
        raise HarnessError(f"{path}: expected one JSON array of objects, as HippoRAG publishes it")
    return raw


def _spaced(text: str) -> str:
    return " ".join(text.split())


def gold_passages(record: Record, passages: Passages) -> list[Record]:
    """The gold passages, found by title and text, in the order of their first appearance in
    ``supporting_facts``.
    """
    texts = {title: "".join(sentences) for title, sentences in record["context"]}
    titles = dict.fromkeys(title for title, _ in record["supporting_facts"])
    return [passages.find(title, texts.get(title)) for title in titles]


def query_of(record: Record, gold: list[Record]) -> dict[str, object]:
    """The fields that both benchmarks share."""
    return {
        "id": record["_id"] if "_id" in record else record["id"],
        "question": record["question"],
        "answers": list(dict.fromkeys([record["answer"], *record.get("answer_aliases", [])])),
        "supporting_ids": [passage["id"] for passage in gold],
        "hops": len(gold),
        "type": record["type"],
    }
