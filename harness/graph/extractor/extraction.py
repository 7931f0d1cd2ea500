"""Extractors: a benchmark's texts to names, where each text mentions them, and triples; arrays, not
objects.

An extractor is a frozen dataclass. What it finds is an artifact, named by the extractor's identity
and the data's hash. The artifact's folder is resumable: a long extractor commits what it has in
files there and goes on from them.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.benchmark import Benchmark
from harness.core.arrays import read_array, write_array
from harness.core.artifact import Artifact, Facts
from harness.core.errors import HarnessError
from harness.core.files import REBUILD
from harness.core.identity import identity
from harness.work.store import Store

KINDS = ("title", "entity", "span", "open")
"""Why a mention is one: it is the corpus' own title, a named-entity recogniser said so, it is
capitalised, or a language model (or a published file of one) named it.
"""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Mentions in N texts, a text's M_i ones in the order in which they stand.

    indptr: int64[N + 1]; text i's mentions are ``indptr[i]:indptr[i + 1]``.    entity: int32[M],
    number of the name.
    start, end: int32[M], bytes of the text in UTF-8, ``text.encode()[start:end]`` is the mention;
    -1 where unknown.
    kind: uint8[M], place in ``KINDS``.
    """

    indptr: NDArray[np.int64]
    entity: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    kind: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[NDArray[np.int32]]) -> Mentions:
        """From one int32[M_i, 4] a text: entity, start, end, kind."""
        indptr = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
        table = np.concatenate([np.empty((0, 4), np.int32), *rows])
        entity, start, end, kind = (np.ascontiguousarray(column) for column in table.T)
        return cls(indptr, entity, start, end, kind.astype(np.uint8))

    @classmethod
    def load(cls, folder: Path, place: str, last: int) -> Mentions:
        """Read ``<place>.<field>.npy``, of names up to the number ``last``."""

        def column(name: str, dtype: type, least: int, most: float | None) -> NDArray[Any]:
            return read_array(folder / f"{place}.{name}.npy", dtype, (None,), least, most)

        entity = column("entity", np.int32, 0, last)
        indptr = column("indptr", np.int64, 0, len(entity))
        start, end = (column(name, np.int32, -1, None) for name in ("start", "end"))
        kind = column("kind", np.uint8, 0, len(KINDS) - 1)
        lengths = {len(entity), len(start), len(end), len(kind), *indptr[-1:]}
        if len(lengths) > 1 or indptr[:1].tolist() != [0] or (np.diff(indptr) < 0).any():
            raise HarnessError(f"{folder}: {place}: columns of different lengths; {REBUILD}")
        return cls(indptr, entity, start, end, kind)

    @property
    def text(self) -> NDArray[np.int32]:
        """int32[M]: the number of the text of each mention."""
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class Triples:
    """T statements. passage: int32[T], where it was read. subject, object: int32[T], names.
    predicate: int32[T].

    predicates: the P distinct predicates, as written.    confidence: float32[T] in [0, 1], None
    where nobody states it.
    """

    passage: NDArray[np.int32]
    subject: NDArray[np.int32]
    predicate: NDArray[np.int32]
    object: NDArray[np.int32]
    predicates: Sequence[str]
    confidence: NDArray[np.float32] | None = None

    @classmethod
    def of(
        cls,
        rows: ArrayLike = (),
        predicates: Sequence[str] = (),
        confidence: Sequence[float | None] | None = None,
    ) -> Triples:
        """From [T, 4]: passage, subject, predicate, object; a triple without a confidence among
        others has 1.
        """
        table = np.asarray(rows, dtype=np.int32).reshape(-1, 4)
        passage, subject, predicate, object_ = (np.ascontiguousarray(column) for column in table.T)
        sure = (
            None
            if confidence is None
            else np.array([1 if c is None else c for c in confidence], np.float32)
        )
        return cls(passage, subject, predicate, object_, predicates, sure)

    def joins(self) -> NDArray[np.int64]:
        """int64[T, 3]: the lower and the higher of the two names that each joins, and its
        passage.
        """
        low, high = np.minimum(self.subject, self.object), np.maximum(self.subject, self.object)
        return np.stack([low, high, self.passage], axis=1).astype(np.int64)

    def sure(self) -> NDArray[np.float32]:
        """float32[T]: the confidence, 1 where none is stated."""
        return (
            np.ones(len(self.subject), np.float32) if self.confidence is None else self.confidence
        )


@dataclass(frozen=True, eq=False)
class Extraction:
    """names: the E distinct normalised names, none empty.

    titled: int32[D], the name that is a passage's title, or -1.
    passages: mentions in ``benchmark.passages`` (title, line break, text); a passage's own title
    there is none.
    questions: mentions in ``benchmark.questions``.    triples: statements read in the passages.
    """

    names: Sequence[str]
    titled: NDArray[np.int32]
    passages: Mentions
    questions: Mentions
    triples: Triples

    def save(self, folder: Path) -> None:
        """Write everything below ``folder``."""
        words = {"names": list(self.names), "predicates": list(self.triples.predicates)}
        (folder / "words.json").write_text(
            json.dumps(words, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
        )
        write_array(folder / "titled.npy", self.titled)
        for place in ("passages", "questions"):
            for field in fields(Mentions):
                array = getattr(getattr(self, place), field.name)
                write_array(folder / f"{place}.{field.name}.npy", array)
        table = [
            getattr(self.triples, name) for name in ("passage", "subject", "predicate", "object")
        ]
        write_array(folder / "triples.npy", np.stack(table, axis=1))
        if self.triples.confidence is not None:
            write_array(folder / "confidence.npy", self.triples.confidence)

    @classmethod
    def load(cls, folder: Path) -> Extraction:
        """Read what ``save`` wrote."""
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        last = len(words["names"]) - 1
        titled = read_array(folder / "titled.npy", np.int32, (None,), -1, last)
        passages, questions = (
            Mentions.load(folder, place, last) for place in ("passages", "questions")
        )
        if len(passages.indptr) != len(titled) + 1:
            raise HarnessError(
                f"{folder}: titles of {len(titled)} passages, mentions of others; {REBUILD}"
            )
        rows = read_array(folder / "triples.npy", np.int32, (None, 4), 0)
        most = (len(titled) - 1, last, len(words["predicates"]) - 1, last)
        if (rows > most).any():
            raise HarnessError(
                f"{folder / 'triples.npy'}: a passage, name or predicate that is not there; "
                f"{REBUILD}"
            )
        sure = folder / "confidence.npy"
        confidence = read_array(sure, np.float32, (len(rows),), 0, 1) if sure.exists() else None
        triples = replace(Triples.of(rows, words["predicates"]), confidence=confidence)
        return cls(words["names"], titled, passages, questions, triples)


@runtime_checkable
class Extractor(Protocol):
    """A strategy that reads a benchmark's passages and questions."""

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Facts]:
        """What was found, and facts for the manifest.

        folder: where to commit shards; what lies there is from a killed build of the same artifact.
        What the extractor leaves there stays in the artifact.

        An extractor whose long work is done in parts (see harness.work.parts) has a method
        ``fill(benchmark, folder)``, too, which computes those that are missing, beside other
        processes. ``begin()`` of one that takes seconds to load lets other processes load it before
        the benchmark is read. One with an attribute ``together`` that is true is called by several
        processes at once, in one folder (see harness.work.shared_rows).
        """
        ...


def artifact(extractor: Extractor, benchmark: Benchmark, store: Store) -> Artifact:
    """The extraction's artifact; built when it is not there."""

    @functools.cache
    def extracted(folder: Path) -> tuple[Extraction, Facts]:
        return extractor.extract(benchmark, folder)

    def build(folder: Path) -> Facts:
        extraction, facts = extracted(folder)
        extraction.save(folder)
        return {
            "entities": len(extraction.names),
            "mentions": len(extraction.passages.entity),
            "passages_without_mention": int(
                (extraction.passages.indptr[1:] == extraction.passages.indptr[:-1]).sum()
            ),
            "question_mentions": len(extraction.questions.entity),
            "questions_without_mention": int(
                (extraction.questions.indptr[1:] == extraction.questions.indptr[:-1]).sum()
            ),
            "triples": len(extraction.triples.subject),
            **facts,
        }

    parts = getattr(extractor, "fill", None)
    fill = functools.partial(parts, benchmark) if parts else None
    together = extracted if getattr(extractor, "together", False) else None
    inputs = {"benchmark": benchmark.sha256}
    return store.get(
        "extract", identity(extractor), inputs, build, resumable=True, fill=fill, together=together
    )


def extract(extractor: Extractor, benchmark: Benchmark, store: Store) -> Extraction:
    """What the extractor finds in the benchmark; computed once, then read from its artifact."""
    return Extraction.load(artifact(extractor, benchmark, store).path)
