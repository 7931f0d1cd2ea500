"""Mentions in texts: titles of the corpus, named entities and capitalised spans."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, starmap

import numpy as np

from harness.benchmark.text import (
    Casing,
    Gazetteer,
    Words,
    byte_offsets,
    is_capitalised,
    normal,
    spans,
    words,
)
from harness.core.arrays import Int32Array
from harness.graph.extractor.extraction import KINDS, Extraction, Mentions, Triples
from harness.work.processes import Workers
from harness.work.progress import Progress

TITLE, ENTITY, SPAN = (KINDS.index(kind) for kind in ("title", "entity", "span"))
BLOCK = 256
"""Number of texts that a process reads at once."""
SMALL = 2048
"""Number of texts for which one process finishes before others have started."""
Mentioned = tuple[list[str], Int32Array]
"""The mentions of a text: names, and int32[M, 3]: first byte in the passage, byte after the last,
kind.
"""
MentionList = list[tuple[str, int, int, int]]
"""The mentions of one text: normalised name, first character, character after the last, kind."""


def find_mentions(
    texts: Sequence[str],
    passages: Sequence[str],
    named: Sequence[Int32Array],
    finders: Finders,
) -> Extraction:
    """Return the mentions of D passages. ``Offline`` describes their kinds and precedence.

    Args:
        texts: the text of each passage.
        passages: title, line break, text of each passage. Places are bytes of it.
        named: the recognised entities of each text, int32[n, 3]: first character, the one after the
            last, and whether the entity is kept (a date is not).
        finders: the finders of the passages' titles and texts.
    """
    number = {name: i for i, name in enumerate(finders.known)}
    blocks = (slice(start, start + BLOCK) for start in range(0, len(texts), BLOCK))
    jobs = ((texts[block], named[block], passages[block]) for block in blocks)
    mention_rows = []
    with finders.workers as workers, Progress("find mentions", len(texts)) as bar:
        for block in workers.map(jobs):
            for names, places in block:
                entities = [number.setdefault(name, len(number)) for name in names]
                mention_rows.append(np.column_stack([np.array(entities, dtype=np.int32), places]))
            bar.update(len(block))
    return Extraction(
        names=list(number),
        titled=np.array([number.get(name, -1) for name in finders.names], dtype=np.int32),
        passages=Mentions.of(mention_rows),
        triples=Triples.of(),
    )


Job = tuple[Sequence[str], Sequence[Int32Array], Sequence[str]]
"""Texts, the recognised entities of each, and the passage at whose end each text is."""


@dataclass(frozen=True)
class Finders:
    """The processes that find the mentions of texts.

    Attributes:
        names: the normalised title of each passage, empty for none.
        known: the distinct names.
        casing: the casing of the texts' words.
        workers: the processes.
    """

    names: Sequence[str]
    known: Sequence[str]
    casing: Casing
    workers: Workers

    @classmethod
    def of(
        cls,
        titles: Sequence[str | None],
        texts: Sequence[str],
        with_spans: bool = True,
        processes: int = 1,
    ) -> Finders:
        """Return the finders of passages. Texts are read here once, for the casing of their words.

        Args:
            titles: the titles of the passages.
            texts: the texts of the passages.
            with_spans: whether capitalised spans are mentions.
            processes: number of processes.
        """
        names = [normal(title or "") for title in titles]
        known, count = list(dict.fromkeys(filter(None, names))), processes
        if len(texts) <= SMALL:
            count = 1
        casing = Casing.of(texts)
        workers = Workers(count, Finder, Finder.find, known, casing, with_spans)
        return cls(names, known, casing, workers)

    def begin(self) -> Finders:
        """Start the processes (see ``Workers.begin``)."""
        self.workers.begin()
        return self


class Finder:
    """A finder of mentions in texts.

    Args:
        known: bare titles.
        casing: the casing of words in all texts.
        with_spans: whether capitalised spans are mentions.
    """

    def __init__(self, known: Sequence[str], casing: Casing, with_spans: bool) -> None:
        self._known, self._casing, self._with_spans = Gazetteer(list(known)), casing, with_spans

    def find(self, job: Job) -> list[Mentioned]:
        """Return the mentions of each text."""
        return list(starmap(self._find, zip(*job, strict=True)))

    def _find(self, text: str, recognised: Int32Array, whole: str) -> Mentioned:
        at = words(text)
        mentions = _titles(text, at, self._known, self._casing)
        _add(mentions, text, [(a, b) for a, b, is_kept in recognised.tolist() if is_kept], ENTITY)
        if self._with_spans:
            left_out = Places((a, b) for a, b, is_kept in recognised.tolist() if not is_kept)
            runs = [(at.start[a], at.end[b - 1]) for a, b in spans(text, at, self._casing)]
            _add(mentions, text, [run for run in runs if not any(left_out.touching(*run))], SPAN)
        mentions.sort(key=lambda mention: (mention[1], -mention[2]))
        places = np.array([(start, end) for _, start, end, _ in mentions], dtype=np.int64).reshape(
            -1, 2
        )
        ends = byte_offsets(whole, (places + len(whole) - len(text)).ravel()).reshape(-1, 2)
        kinds = np.array([kind for *_, kind in mentions], dtype=np.int64)
        return [name for name, *_ in mentions], np.column_stack([ends, kinds]).astype(np.int32)


def _titles(text: str, at: Words, known: Gazetteer, casing: Casing) -> MentionList:
    titles = []
    for number, first, after in known.find(at):
        capitalised = any(is_capitalised(text, at, i) for i in range(first, after))
        if capitalised and (after - first > 1 or casing.capitalises(at.texts[first])):
            titles.append((known.names[number], at.start[first], at.end[after - 1], TITLE))
    return titles


def _add(mentions: MentionList, text: str, places: Sequence[tuple[int, int]], kind: int) -> None:
    """Add mentions that have a word.

    A mention that overlaps others is added only if it contains them, because it then names
    something else.
    """
    taken = Places((start, end) for _, start, end, _ in mentions)
    for start, end in places:
        touched = list(taken.touching(start, end))
        if any(not (start <= a and b <= end and (a, b) != (start, end)) for a, b in touched):
            continue
        if (touched and kind == SPAN) or not (name := normal(text[start:end])):
            continue
        mentions.append((name, start, end, kind))


class Places:
    """Places [start, end) of a text, which may overlap. The cost of a query depends on its results,
    not on the number of places.
    """

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        self._places = sorted(places)
        self._starts = [start for start, _ in self._places]
        self._reach = list(accumulate((end for _, end in self._places), max))

    def touching(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the places that share a character with [start, end)."""
        at = bisect_left(self._starts, end) - 1
        while at >= 0 and self._reach[at] > start:
            if self._places[at][1] > start:
                yield self._places[at]
            at -= 1
