"""Facts: statements that join entities, with the bytes of the passage that state them."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.benchmark.text import byte_offsets, words
from harness.core.arrays import Int32Array, Int64Array
from harness.graph.extractor import Extraction

Numbers = Int32Array
_END = re.compile(r"[.!?。！？][\"'”’)\]]*(?:\s+|$)|\n+")
_SHORT = re.compile(r"\b(?:[A-Z]\w?|Mrs|Inc|Ltd|Corp|Sgt|Col|Gen|Rev|Hon|Capt|Prof|vs|etc)\.$")


@dataclass(frozen=True, eq=False)
class Facts:
    """F statements: ``stated[i]`` is (subject, predicate, object) in words; ``text(i)`` is
    embedded.

    Args:
        subject: int32[F], an entity.
        indptr: int64[F + 1]; fact i joins its subject to ``object[indptr[i]:indptr[i + 1]]``, one
            or more.
        object: int32, entities.
        passage: int32[F].
        start: int32[F], the first byte in ``benchmark.passages[passage].encode()``.
        end: int32[F], the byte after the last.
        words: int64[D], the number of words of each passage.
        stated: in words.
    """

    subject: Numbers
    indptr: Int64Array
    object: Numbers
    passage: Numbers
    start: Numbers
    end: Numbers
    words: Int64Array
    stated: Sequence[tuple[str, str, str]]

    def __len__(self) -> int:
        """Return F."""
        return len(self.subject)

    def text(self, fact: int) -> str:
        """Return subject, predicate and object in one line."""
        return " ".join(part for part in self.stated[fact] if part)

    def entities(self, fact: int) -> Numbers:
        """Return the entities of a fact, subject first."""
        return np.concatenate(
            [self.subject[fact : fact + 1], self.object[self.indptr[fact] : self.indptr[fact + 1]]]
        )

    def holds(self, size: int) -> sp.csr_array:
        """Return [E, F], 1 if the entity is in the fact."""
        facts = np.arange(len(self))
        rows = np.concatenate([self.subject, self.object])
        columns = np.concatenate([facts, np.repeat(facts, np.diff(self.indptr))])
        entries = np.ones(len(rows)), (rows, columns)
        matrix = sp.csr_array(entries, shape=(size, len(self)))
        matrix.data[:] = 1
        return matrix

    def joined(self, size: int) -> sp.csr_array:
        """Return [E, E], the number of passages with a fact that joins the two; symmetric, diagonal
        0.
        """
        subject = np.repeat(self.subject, np.diff(self.indptr)).astype(np.int64)
        passage = np.repeat(self.passage, np.diff(self.indptr))
        low, high = np.minimum(subject, self.object), np.maximum(subject, self.object)
        pairs = np.unique(np.stack([low, high, passage], axis=1)[low != high], axis=0)
        count = sp.coo_array((np.ones(len(pairs)), tuple(pairs[:, :2].T)), (size, size)).tocsr()
        return count + count.T

    def save(self, folder: Path) -> None:
        """Write the facts below ``folder``."""
        np.savez(folder / "facts.npz", **{name: getattr(self, name) for name in ARRAYS})
        (folder / "facts.json").write_text(
            json.dumps(list(self.stated), ensure_ascii=False, indent=0) + "\n", "utf-8"
        )

    @classmethod
    def load(cls, folder: Path) -> Facts:
        """Read the facts that ``save`` wrote; the arrays are read-only."""
        stated = [tuple(words) for words in json.loads((folder / "facts.json").read_text("utf-8"))]
        with np.load(folder / "facts.npz") as stored:
            arrays = dict(stored)
        for array in arrays.values():
            array.setflags(write=False)
        return cls(**arrays, stated=stated)


ARRAYS = ("subject", "indptr", "object", "passage", "start", "end", "words")
Row = tuple[int, list[int], int, int, int, tuple[str, str, str]]
"""Subject, objects, passage, first byte, byte after the last, in words."""


def make_facts(extraction: Extraction, benchmark: Benchmark) -> Facts:
    """Return the triples of an extraction; without triples, the statements of its sentences.

    A triple's bytes are those of the first sentence of its passage that holds both names, otherwise
    the object, otherwise the subject, otherwise the whole passage. A triple of an entity with
    itself is left out. Without triples a fact is a sentence: it joins the passage's title to all
    other entities that the sentence mentions (without a title: its first mention to the others); a
    sentence that joins nothing is not a fact.
    """
    rows = (_stated if len(extraction.triples.subject) else _named)(extraction, benchmark)
    columns = [*zip(*rows, strict=True)] or [()] * 6
    subject, objects, passage, start, end, stated = columns
    return Facts(
        np.array(subject, np.int32),
        np.cumsum([0, *map(len, objects)], dtype=np.int64),
        np.array([*itertools.chain(*objects)], np.int32),
        np.array(passage, np.int32),
        np.array(start, np.int32),
        np.array(end, np.int32),
        np.array([len(words(text).texts) for text in benchmark.passages], np.int64),
        stated,
    )


def _named(extraction: Extraction, benchmark: Benchmark) -> Iterator[Row]:
    mentions, names, titles = extraction.passages, extraction.names, benchmark.corpus["title"][:]
    for passage, text in enumerate(benchmark.passages):
        part = slice(mentions.indptr[passage], mentions.indptr[passage + 1])
        entities, starts = mentions.entity[part], mentions.start[part]
        bounds = _bytes(text)
        place = np.searchsorted(bounds[:, 0], starts, side="right") - 1
        title = int(extraction.titled[passage])
        for number in np.unique(place[starts >= 0]):
            inside = list(dict.fromkeys(entities[(place == number) & (starts >= 0)].tolist()))
            subject = title if title >= 0 else inside[0]
            objects = [entity for entity in inside if entity != subject]
            if objects:
                first, last = bounds[number].tolist()
                sentence = text.encode()[first:last].decode()
                shown = titles[passage] if title >= 0 else names[subject]
                yield subject, objects, passage, first, last, (shown, sentence, "")


def _stated(extraction: Extraction, benchmark: Benchmark) -> Iterator[Row]:
    names, predicates = extraction.names, extraction.triples.predicates

    @functools.lru_cache(maxsize=1)
    def sentences_of(passage: int) -> list[tuple[int, int, str]]:
        raw = benchmark.passages[passage].encode()
        bounds = _bytes(benchmark.passages[passage]).tolist()
        plain = (" ".join(words(raw[a:b].decode()).texts) for a, b in bounds)
        return [(a, b, f" {text} ") for (a, b), text in zip(bounds, plain, strict=True)]

    triples = extraction.triples
    columns = (triples.passage, triples.subject, triples.predicate, triples.object)
    for passage, subject, predicate, object_ in zip(*map(np.ndarray.tolist, columns), strict=True):
        if subject == object_:
            continue
        first, last, best = 0, len(benchmark.passages[passage].encode()), 0
        for start, end, text in sentences_of(passage):
            held = (f" {names[object_]} " in text) * 2 + (f" {names[subject]} " in text)
            if held > best:
                first, last, best = start, end, held
        yield (
            subject,
            [object_],
            passage,
            first,
            last,
            (names[subject], predicates[predicate], names[object_]),
        )


def _bytes(text: str) -> Int64Array:
    """Return int64[n, 2], the bytes of each sentence. The first line, a title, is one."""
    return byte_offsets(
        text, np.array(sentences(text) or [(0, len(text))], np.int64).ravel()
    ).reshape(-1, 2)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return [first character, character after the last) of each sentence, in order, with every
    word.

    A sentence ends at a line break, or at a full stop or similar before a blank, unless the next
    word begins with a lower-case letter, or the stop belongs to an initial or a short abbreviation
    (``J.``, ``Dr.``, ``Inc.``).
    """
    spans, first = [], 0
    for stop in _END.finditer(text):
        mark = stop.start() + 1
        ahead = text[stop.end() : stop.end() + 1]
        inline = stop[0][0] == "." and "\n" not in stop[0]
        within = inline and ahead and (ahead.islower() or _SHORT.search(text, first, mark))
        if not within:
            spans.append((first, stop.end()))
            first = stop.end()
    spans.append((first, len(text)))
    return [
        (a + len(text[a:b]) - len(text[a:b].lstrip()), a + len(text[a:b].rstrip()))
        for a, b in spans
        if text[a:b].strip()
    ]
