"""Facts: statements that join entities, with the bytes of the passage that state them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from harness.benchmark import Benchmark
from harness.benchmark.text import byte_offsets, words
from harness.core.arrays import Int32Array, Int64Array, check_array, read_arrays
from harness.core.errors import HarnessError
from harness.core.files import REBUILD
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
        stated: in words.
    """

    subject: Numbers
    indptr: Int64Array
    object: Numbers
    passage: Numbers
    start: Numbers
    end: Numbers
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
        matrix = sp.coo_array(
            (np.ones(len(rows)), (rows, columns)), shape=(size, len(self))
        ).tocsr()
        matrix.data[:] = 1
        return sp.csr_array(matrix)

    def joined(self, size: int) -> sp.csr_array:
        """Return [E, E], the number of passages with a fact that joins the two; symmetric, diagonal
        0.
        """
        subject, passage = (
            np.repeat(part, np.diff(self.indptr)) for part in (self.subject, self.passage)
        )
        low = np.minimum(subject, self.object).astype(np.int64)
        high = np.maximum(subject, self.object).astype(np.int64)
        pairs = np.unique(np.stack([low, high, passage], axis=1)[low != high], axis=0)
        upper = sp.coo_array(
            (np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size)
        ).tocsr()
        both = sp.csr_array(upper + upper.T)
        both.sort_indices()
        return both

    def save(self, folder: Path) -> None:
        """Write the facts below ``folder``."""
        np.savez(folder / "facts.npz", **{name: getattr(self, name) for name in ARRAYS})
        (folder / "facts.json").write_text(
            json.dumps(list(self.stated), ensure_ascii=False, indent=0) + "\n", "utf-8"
        )

    @classmethod
    def load(cls, folder: Path, entities: int, passages: int) -> Facts:
        """Read the facts that ``save`` wrote; the arrays are read-only.

        Raises:
            HarnessError: an array has another form, or values out of bounds.
        """
        path = folder / "facts.npz"
        stated = [tuple(words) for words in json.loads((folder / "facts.json").read_text("utf-8"))]
        found = read_arrays(path)
        if missing := sorted({*ARRAYS} - {*found}):
            raise HarnessError(f"{path}: no array {missing[0]}; {REBUILD}")
        arrays = {name: found[name] for name in ARRAYS}
        objects, joined = len(arrays["object"]), len(stated) + 1
        check_array(arrays["indptr"], f"{path}, indptr", np.int64, (joined,), 0, objects)
        if (
            arrays["indptr"][0] != 0
            or arrays["indptr"][-1] != objects
            or (np.diff(arrays["indptr"]) < 0).any()
        ):
            raise HarnessError(f"{path}, indptr: does not go from 0 up to {objects}; {REBUILD}")
        most = {"subject": entities - 1, "object": entities - 1, "passage": passages - 1}
        for name in ("subject", "object", "passage", "start", "end"):
            size = objects if name == "object" else len(stated)
            check_array(arrays[name], f"{path}, {name}", np.int32, (size,), 0, most.get(name))
        for array in arrays.values():
            array.setflags(write=False)
        return cls(**arrays, stated=stated)


ARRAYS = ("subject", "indptr", "object", "passage", "start", "end")
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
    found = list((_stated if len(extraction.triples.subject) else _named)(extraction, benchmark))
    indptr = np.cumsum([0, *(len(row[1]) for row in found)], dtype=np.int64)
    column = {name: np.array([row[i] for row in found], np.int32) for name, i in _PLACES.items()}
    objects = np.array([entity for row in found for entity in row[1]], np.int32)
    return Facts(indptr=indptr, object=objects, stated=[row[5] for row in found], **column)


_PLACES = {"subject": 0, "passage": 2, "start": 3, "end": 4}


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
    triples, names = extraction.triples, extraction.names
    texts, known = benchmark.passages, dict[int, tuple[Int64Array, list[str]]]()
    for place in range(len(triples.subject)):
        passage, subject, object_ = (
            int(c[place]) for c in (triples.passage, triples.subject, triples.object)
        )
        if subject == object_:
            continue
        if passage not in known:
            bounds = _bytes(texts[passage])
            raw = texts[passage].encode()
            known[passage] = (
                bounds,
                [f" {' '.join(words(raw[a:b].decode()).texts)} " for a, b in bounds.tolist()],
            )
        bounds, plain = known[passage]
        first, last = _where(
            bounds, plain, names[subject], names[object_], len(texts[passage].encode())
        )
        stated = (names[subject], triples.predicates[triples.predicate[place]], names[object_])
        yield subject, [object_], passage, first, last, stated


def _where(
    bounds: Int64Array, plain: list[str], subject: str, object_: str, size: int
) -> tuple[int, int]:
    wanted = [
        {number for number, text in enumerate(plain) if f" {name} " in text}
        for name in (subject, object_)
    ]
    for found in (wanted[0] & wanted[1], wanted[1], wanted[0]):
        if found:
            first, last = bounds[min(found)].tolist()
            return first, last
    return 0, size


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
    found, first = [], 0
    for stop in _END.finditer(text):
        mark = stop.start() + 1
        ahead = text[stop.end() : stop.end() + 1]
        within = (
            stop[0][0] == "." and ahead and (ahead.islower() or _SHORT.search(text, first, mark))
        )
        if not within:
            found.append((first, stop.end()))
            first = stop.end()
    found.append((first, len(text)))
    return [
        (a + len(text[a:b]) - len(text[a:b].lstrip()), a + len(text[a:b].rstrip()))
        for a, b in found
        if text[a:b].strip()
    ]
