"""Long documents, split into passages of whole sentences up to a number of words.

A passage is called ``DOCUMENT#START-END``, the bytes of the document's text (UTF-8) that it holds,
so every list, page and export names its origin. A short document is one passage under its own id.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.benchmark.source.records import Record, Records
from harness.core.errors import HarnessError, whole_number

SPAN = re.compile(r"(?P<document>.+)#(?P<start>\d+)-(?P<end>\d+)")
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Segmentation:
    """The rules of splitting documents.

    Attributes:
        tokens: largest number of words (runs without white space) of a passage, >= 1.
        overlap: largest number of words at the end of a passage, in whole sentences, with which the
            next one begins; below ``tokens``.
    """

    tokens: int
    overlap: int = 0

    def __post_init__(self) -> None:
        whole_number("dataset.tokens", self.tokens, 1)
        whole_number("dataset.overlap", self.overlap, 0)
        if self.overlap >= self.tokens:
            raise HarnessError(
                f"dataset.overlap={self.overlap} must be below dataset.tokens={self.tokens}; "
                "each passage must go on"
            )

    def split(self, passages: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
        """Yield the records of passages, each with its place. A long passage is split; its parts
        have the same title.
        """
        from harness.benchmark.text import byte_offsets  # 35 ms, for its patterns

        for place, record in passages:
            text = record.get("text")
            if not isinstance(text, str) or len(WORD.findall(text)) <= self.tokens:
                yield place, record
                continue
            spans = self.spans(text)
            offsets = byte_offsets(text, np.array(spans, np.int64)).tolist()
            for (start, end), (first, last) in zip(spans, offsets, strict=True):
                name = f"{record.get('id')}#{first}-{last}"
                yield place, {**record, "id": name, "text": text[start:end]}

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return first character and the one after the last of each passage."""
        pieces = list(self._pieces(text))
        found, first = [], 0
        while first < len(pieces):
            last, size = first, pieces[first][2]
            while last + 1 < len(pieces) and size + pieces[last + 1][2] <= self.tokens:
                last += 1
                size += pieces[last][2]
            found.append((pieces[first][0], pieces[last][1]))
            first = following = last + 1
            room = (
                min(self.overlap, self.tokens - pieces[following][2])
                if following < len(pieces)
                else 0
            )
            while pieces[first - 1][2] <= room:  # the overlap, before the first new sentence
                first -= 1
                room -= pieces[first][2]
        return found

    def _pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (start, end, number of words) of each sentence. Sentences of more than ``tokens``
        words are split.
        """
        from harness.benchmark.text import sentences  # 35 ms, for its patterns

        at = 0
        for sentence in sentences(text):
            at = text.index(sentence, at)
            words = [(at + word.start(), at + word.end()) for word in WORD.finditer(sentence)]
            for first in range(0, len(words), self.tokens):
                part = words[first : first + self.tokens]
                yield part[0][0], part[-1][1], len(part)
            at += len(sentence)


def resolve_gold(queries: Records, passages: Sequence[str]) -> tuple[Records, list[bool]]:
    """Return the queries with passages as gold, and bool[Q], for which a whole document of several
    passages was gold.

    A gold id may be a passage. It may be a span ``DOCUMENT#START-END``, which becomes the passage
    that holds most of it. It may be a document, which becomes all its passages in unknown order.
    Any other id is kept.
    """
    known = set(passages)
    parts: dict[str, list[tuple[int, int, str]]] = {}
    for passage in passages:
        if (match := SPAN.fullmatch(passage)) is not None:
            place = int(match["start"]), int(match["end"]), passage
            parts.setdefault(match["document"], []).append(place)

    def named(name: str) -> list[str]:
        """Return the passages of an id."""
        if name in known:
            return [name]
        if name in parts:
            return [passage for _, _, passage in sorted(parts[name])]
        match = SPAN.fullmatch(name)
        held: dict[str, int] = {}
        if match is not None:
            for start, end, passage in sorted(parts.get(match["document"], [])):
                held[passage] = min(end, int(match["end"])) - max(start, int(match["start"]))
        best = max(held, key=held.__getitem__, default=name)  # the first of equal ones
        return [best if held.get(best, 0) > 0 else name]

    values, whole = [], []
    for query in queries.values:
        ids = query.get("supporting_ids")
        found: list[list[str]] = []
        if isinstance(ids, list):
            found = [named(name) if isinstance(name, str) else [name] for name in ids]
            flat = dict.fromkeys(itertools.chain(*found))
            query = {"hops": max(len(ids), 1), **query, "supporting_ids": list(flat)}
        values.append(query)
        whole.append(any(len(own) > 1 for own in found))
    return queries.with_values(values), whole
