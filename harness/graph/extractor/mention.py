"""Mentions in texts: the corpus' own titles, what a recogniser named, capitalised spans."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from harness.benchmark.text import Casing, Gazetteer, Words, byte_offsets, is_capitalised, normal, spans, words
from harness.graph.extractor.extraction import KINDS, Extraction, Mentions, Triples

TITLE, ENTITY, SPAN = (KINDS.index(kind) for kind in ("title", "entity", "span"))
Found = list[tuple[str, int, int, int]]
"""Mentions of one text: normalised name, first character, character after the last, kind."""


def find_mentions(
    titles: Sequence[str | None],
    texts: Sequence[str],
    passages: Sequence[str],
    questions: Sequence[str],
    recognised: Sequence[NDArray[np.int32]] | None = None,
    with_spans: bool = True,
) -> Extraction:
    """The mentions of D passages and Q questions; what kinds there are, and which one goes first, says ``Offline``.

    titles, texts: of each passage.    passages: title, line break, text; places count from its first byte.
    recognised: of the texts, then the questions, int32[n, 3]: first character, the one after the last, and whether it
    is kept (a date is not); None where nothing recognises.    with_spans: whether capitalised spans are mentions.
    """
    names = [normal(title or "") for title in titles]
    casing = Casing((text, words(text)) for text in texts)  # words are read again below: all of them fill memory
    known = Gazetteer([name for name in dict.fromkeys(names) if name])
    number = {name: i for i, name in enumerate(known.names)}
    named = [np.empty((0, 3), np.int32)] * (len(texts) + len(questions)) if recognised is None else recognised

    def find(text: str, recognised: NDArray[np.int32], whole: str) -> NDArray[np.int32]:
        at = words(text)
        found = _titles(text, at, known, casing)
        _add(found, text, [(a, b) for a, b, kept in recognised.tolist() if kept], ENTITY)
        if with_spans:
            left_out = Places((a, b) for a, b, kept in recognised.tolist() if not kept)
            runs = [(at.start[a], at.end[b - 1]) for a, b in spans(text, at, casing)]
            _add(found, text, [run for run in runs if not any(left_out.touching(*run))], SPAN)
        found.sort(key=lambda mention: (mention[1], -mention[2]))
        return _rows(whole, found, number, len(whole) - len(text))

    in_texts = [find(*each) for each in zip(texts, named, passages, strict=False)]
    in_questions = [find(text, named[len(texts) + i], text) for i, text in enumerate(questions)]
    return Extraction(
        names=list(number),
        titled=np.array([number.get(name, -1) for name in names], dtype=np.int32),
        passages=Mentions.of(in_texts),
        questions=Mentions.of(in_questions),
        triples=Triples.of(),
    )


def _titles(text: str, at: Words, known: Gazetteer, casing: Casing) -> Found:
    return [
        (known.names[number], at.start[first], at.end[after - 1], TITLE)
        for number, first, after in known.find(at)
        if any(is_capitalised(text, at, i) for i in range(first, after))
        and (after - first > 1 or casing.share(at.texts[first]) >= 0.5)
    ]


def _add(found: Found, text: str, places: Sequence[tuple[int, int]], kind: int) -> None:
    """Adds mentions that have a word, and that contain those they overlap (then they name something else)."""
    taken = Places((start, end) for _, start, end, _ in found)
    for start, end in places:
        touched = list(taken.touching(start, end))
        if any(not (start <= a and b <= end and (a, b) != (start, end)) for a, b in touched):
            continue
        if (touched and kind == SPAN) or not (name := normal(text[start:end])):
            continue
        found.append((name, start, end, kind))


def _rows(text: str, found: Found, number: dict[str, int], shift: int) -> NDArray[np.int32]:
    """int32[M, 4]: entity (a new name gets the next number), byte offsets of the mention in the text, kind.

    shift: characters of the text that stand before what the mentions' places count from.
    """
    places = np.array([(start, end) for _, start, end, _ in found], dtype=np.int64).reshape(-1, 2) + shift
    ends = byte_offsets(text, places.ravel()).reshape(-1, 2)
    rows = [(number.setdefault(name, len(number)), 0, 0, kind) for name, _, _, kind in found]
    table = np.array(rows, dtype=np.int32).reshape(-1, 4)
    table[:, 1:3] = ends
    return table


class Places:
    """Places [start, end) of a text; they may overlap. Asking costs what it finds, not what there is."""

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        self._places = sorted(places)
        self._starts = [start for start, _ in self._places]
        self._reach = list(accumulate((end for _, end in self._places), max))

    def touching(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Those that share a character with [start, end)."""
        at = bisect_left(self._starts, end) - 1
        while at >= 0 and self._reach[at] > start:
            if self._places[at][1] > start:
                yield self._places[at]
            at -= 1
