"""What an extractor found: names, where each text mentions them, and triples; arrays, not objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.core.files import write_array

KINDS = ("title", "entity", "span", "open")
"""Why a mention is one: it is the corpus' own title, a named-entity recogniser said so, it is capitalised, or a
language model (or a published file of one) named it."""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Mentions in N texts, a text's M_i ones in the order in which they stand.

    indptr: int64[N + 1]; text i's mentions are ``indptr[i]:indptr[i + 1]``.    entity: int32[M], number of the name.
    start, end: int32[M], bytes of the text in UTF-8, ``text.encode()[start:end]`` is the mention; -1 where unknown.
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

    @property
    def text(self) -> NDArray[np.int32]:
        """int32[M]: the number of the text of each mention."""
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class Triples:
    """T statements. passage: int32[T], where it was read. subject, object: int32[T], names. predicate: int32[T].

    predicates: the P distinct predicates, as written.    confidence: float32[T] in [0, 1], None where nobody states it.
    """

    passage: NDArray[np.int32]
    subject: NDArray[np.int32]
    predicate: NDArray[np.int32]
    object: NDArray[np.int32]
    predicates: Sequence[str]
    confidence: NDArray[np.float32] | None = None

    @classmethod
    def of(
        cls, rows: ArrayLike = (), predicates: Sequence[str] = (), confidence: Sequence[float | None] | None = None
    ) -> Triples:
        """From [T, 4]: passage, subject, predicate, object; a triple without a confidence among others has 1."""
        table = np.asarray(rows, dtype=np.int32).reshape(-1, 4)
        passage, subject, predicate, object_ = (np.ascontiguousarray(column) for column in table.T)
        sure = None if confidence is None else np.array([1 if c is None else c for c in confidence], np.float32)
        return cls(passage, subject, predicate, object_, predicates, sure)

    def sure(self) -> NDArray[np.float32]:
        """float32[T]: the confidence, 1 where none is stated."""
        return np.ones(len(self.subject), np.float32) if self.confidence is None else self.confidence


@dataclass(frozen=True, eq=False)
class Extraction:
    """names: the E distinct normalised names, none empty.

    titled: int32[D], the name that is a passage's title, or -1.
    passages: mentions in ``benchmark.passages`` (title, line break, text); a passage's own title there is none.
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
        (folder / "words.json").write_text(json.dumps(words, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        write_array(folder / "titled.npy", self.titled)
        for place in ("passages", "questions"):
            for field in fields(Mentions):
                array = getattr(getattr(self, place), field.name)
                write_array(folder / f"{place}.{field.name}.npy", array)
        table = [getattr(self.triples, name) for name in ("passage", "subject", "predicate", "object")]
        write_array(folder / "triples.npy", np.stack(table, axis=1))
        if self.triples.confidence is not None:
            write_array(folder / "confidence.npy", self.triples.confidence)

    @classmethod
    def load(cls, folder: Path) -> Extraction:
        """Read what ``save`` wrote."""
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        arrays = {path.stem: np.load(path, allow_pickle=False) for path in sorted(folder.glob("*.npy"))}
        mentions = {
            place: Mentions(**{field.name: arrays[f"{place}.{field.name}"] for field in fields(Mentions)})
            for place in ("passages", "questions")
        }
        triples = replace(Triples.of(arrays["triples"], words["predicates"]), confidence=arrays.get("confidence"))
        return cls(words["names"], arrays["titled"], mentions["passages"], mentions["questions"], triples)
