"""Documents that are too long, as passages: whole sentences up to a number of words, with their
place in the document.

A passage of a document is called ``DOCUMENT#START-END``, the bytes of the document's text (UTF-8)
that it holds, so that every list, page and export says where it is from. A document that is short
enough is one passage, under its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.benchmark.source.records import Record, Records
from harness.benchmark.text import sentences
from harness.core.errors import HarnessError, whole_number

SPAN = re.compile(r"(?P<document>.+)#(?P<start>\d+)-(?P<end>\d+)")
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Segmentation:
    """tokens: words (runs without white space) of a passage at most, >= 1.

    overlap: words at the end of a passage that the next one begins with, at most, in whole
    sentences; below ``tokens``.
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
        """The records of passages, each with its place; one that is too long as several, of the
        same title.
        """
        for place, record in passages:
            text = record.get("text")
            if not isinstance(text, str) or len(WORD.findall(text)) <= self.tokens:
                yield place, record
                continue
            at, before = 0, 0  # bytes up to a character
            for start, end in self.spans(text):
                before += (
                    len(text[at:start].encode()) if start >= at else -len(text[start:at].encode())
                )
                at, after = start, before + len(text[start:end].encode())
                yield (
                    place,
                    {
                        **record,
                        "id": f"{record.get('id')}#{before}-{after}",
                        "text": text[start:end],
                    },
                )

    def spans(self, text: str) -> list[tuple[int, int]]:
        """First character and the one after the last of each passage."""
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
            while (
                pieces[first - 1][2] <= room
            ):  # what the next one begins with, beside its first new sentence
                first -= 1
                room -= pieces[first][2]
        return found

    def _pieces(self, text: str) -> Iterator[tuple[int, int, int]]:
        """First character, the one after the last and words of each sentence; a longer one in parts
        of ``tokens``.
        """
        at = 0
        for sentence in sentences(text):
            at = text.index(sentence, at)
            words = [(at + word.start(), at + word.end()) for word in WORD.finditer(sentence)]
            for first in range(0, len(words), self.tokens):
                part = words[first : first + self.tokens]
                yield part[0][0], part[-1][1], len(part)
            at += len(sentence)


def resolve_gold(queries: Records, passages: Sequence[str]) -> tuple[Records, list[bool]]:
    """The queries with passages as gold, and of which a whole document of several passages was
    gold: bool[Q].

    A gold id is a passage's; or a span ``DOCUMENT#START-END``, for the passage that holds most of
    it; or a document, for all its passages, whose order is then unknown. What is none of these
    stays as it is.
    """
    known, parts = set(passages), _parts(passages)
    values, whole = [], []
    for query in queries.values:
        ids = query.get("supporting_ids")
        if not isinstance(ids, list):
            values.append(query)
            whole.append(False)
            continue
        found = [
            name if not isinstance(name, str) or name in known else _named(name, parts)
            for name in ids
        ]
        flat = dict.fromkeys(
            one for each in found for one in (each if isinstance(each, list) else [each])
        )
        values.append({"hops": max(len(ids), 1), **query, "supporting_ids": list(flat)})
        whole.append(any(isinstance(each, list) and len(each) > 1 for each in found))
    return queries.with_values(values), whole


def _parts(passages: Sequence[str]) -> Mapping[str, list[tuple[int, int, str]]]:
    """Start, end and id of the passages of each document that was split, in their order."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for name in passages:
        if (match := SPAN.fullmatch(name)) is not None:
            found.setdefault(match["document"], []).append(
                (int(match["start"]), int(match["end"]), name)
            )
    return {document: sorted(each) for document, each in found.items()}


def _named(name: str, parts: Mapping[str, list[tuple[int, int, str]]]) -> str | list[str]:
    """The passage that holds most of a span, the first of several; all passages of a document; or
    the name itself.
    """
    if name in parts:
        return [passage for _, _, passage in parts[name]]
    if (match := SPAN.fullmatch(name)) is None or match["document"] not in parts:
        return name
    start, end = int(match["start"]), int(match["end"])
    held = [
        (min(end, after) - max(start, before), passage)
        for before, after, passage in parts[match["document"]]
    ]
    most = max(size for size, _ in held)
    return next(passage for size, passage in held if size == most) if most > 0 else name
