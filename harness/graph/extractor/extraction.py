"""Extractors: from passages to names, their mentions and triples, and from questions to names.

An extractor is a frozen dataclass. Its result is an artifact, named by the extractor's identity and
the hash of the corpus. The artifact's folder is resumable: a long extractor writes finished files
there and continues from them. The names in questions are another artifact, so that questions change
neither an extraction nor a graph.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from harness.benchmark import Benchmark
from harness.core.arrays import Int32Array, Int64Array, load_array, write_array
from harness.core.artifact import Artifact, Facts
from harness.core.identity import identity, texts_sha256
from harness.work.store import Store

KINDS = ("title", "entity", "span", "open")
"""The origins of a mention: a title of the corpus, a named-entity recogniser, capital letters, or a
language model (also a published file of one).
"""


@dataclass(frozen=True, eq=False)
class Mentions:
    """Mentions in N texts, in the order of their places. M is their number.

    Attributes:
        indptr: int64[N + 1]; the mentions of text i are ``indptr[i]:indptr[i + 1]``.
        entity: int32[M], number of the name.
        start: int32[M], first byte of the mention in the text (UTF-8); -1 if unknown.
        end: int32[M], byte after the last; ``text.encode()[start:end]`` is the mention.
        kind: uint8[M], place in ``KINDS``.
    """

    indptr: Int64Array
    entity: Int32Array
    start: Int32Array
    end: Int32Array
    kind: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[Int32Array]) -> Mentions:
        """Return the mentions of one int32[M_i, 4] for each text: entity, start, end, kind."""
        indptr = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
        table = np.concatenate([np.empty((0, 4), np.int32), *rows])
        entity, start, end, kind = (np.ascontiguousarray(column) for column in table.T)
        return cls(indptr, entity, start, end, kind.astype(np.uint8))

    def save(self, folder: Path, place: str) -> None:
        """Write ``<place>.<field>.npy``."""
        for field in fields(self):
            write_array(folder / f"{place}.{field.name}.npy", getattr(self, field.name))

    @classmethod
    def load(cls, folder: Path, place: str) -> Mentions:
        """Read the files of ``save``."""
        return cls(*(load_array(folder / f"{place}.{field.name}.npy") for field in fields(cls)))

    def facts(self, text: str) -> Facts:
        """Return the number of mentions and of texts (``text``: their name) without one."""
        return {
            "mentions": len(self.entity),
            f"{text}_without_mention": int((np.diff(self.indptr) == 0).sum()),
        }

    @property
    def text(self) -> Int32Array:
        """int32[M], the number of the text of each mention."""
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class Triples:
    """T statements about names.

    Attributes:
        passage: int32[T], the passage that states the triple.
        subject: int32[T], a name.
        predicate: int32[T], a predicate.
        object: int32[T], a name.
        predicates: the P distinct predicates, as written.
    """

    passage: Int32Array
    subject: Int32Array
    predicate: Int32Array
    object: Int32Array
    predicates: Sequence[str]

    @classmethod
    def of(cls, rows: ArrayLike = (), predicates: Sequence[str] = ()) -> Triples:
        """Return the triples of rows [T, 4]: passage, subject, predicate, object."""
        table = np.asarray(rows, dtype=np.int32).reshape(-1, 4)
        passage, subject, predicate, object_ = (np.ascontiguousarray(column) for column in table.T)
        return cls(passage, subject, predicate, object_, predicates)

    def joins(self) -> Int64Array:
        """Return int64[T, 3]: the lower and the higher of a triple's two names, and its passage."""
        low, high = np.minimum(self.subject, self.object), np.maximum(self.subject, self.object)
        return np.stack([low, high, self.passage], axis=1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Extraction:
    """The names, mentions and triples of a corpus. E is the number of names, D that of passages.

    Attributes:
        names: the E distinct normalised names, none of them empty.
        titled: int32[D], the name that is a passage's title, or -1.
        passages: mentions in ``benchmark.passages`` (title, line break, text). A passage's own
            title is no mention.
        triples: statements in the passages.
    """

    names: Sequence[str]
    titled: Int32Array
    passages: Mentions
    triples: Triples

    def save(self, folder: Path) -> None:
        """Write all arrays below ``folder``."""
        words = {"names": list(self.names), "predicates": list(self.triples.predicates)}
        (folder / "words.json").write_text(
            json.dumps(words, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
        )
        write_array(folder / "titled.npy", self.titled)
        self.passages.save(folder, "passages")
        table = [
            getattr(self.triples, name) for name in ("passage", "subject", "predicate", "object")
        ]
        write_array(folder / "triples.npy", np.stack(table, axis=1))

    @classmethod
    def load(cls, folder: Path) -> Extraction:
        """Read the files of ``save``."""
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        passages = Mentions.load(folder, "passages")
        triples = Triples.of(load_array(folder / "triples.npy"), words["predicates"])
        return cls(words["names"], load_array(folder / "titled.npy"), passages, triples)


NamePlace = tuple[str, int, int, int]
"""A name in a question: as an extraction writes it, first byte, byte after the last, place in
``KINDS``.
"""


@dataclass(frozen=True, eq=False)
class QuestionNames:
    """The names in questions, of which an extraction may not have all.

    Attributes:
        mentions: mentions in ``benchmark.questions``. ``entity`` is the number of the name in the
            extraction, or E + i for ``others[i]``.
        others: names that the extraction does not have, ascending, so that their order does not
            depend on which questions are asked.
    """

    mentions: Mentions
    others: Sequence[str]

    @classmethod
    def of(cls, named_places: Iterable[Sequence[NamePlace]], names: Sequence[str]) -> QuestionNames:
        """Return the names of each question as numbers in an extraction's ``names``."""
        rows, number = list(named_places), {name: i for i, name in enumerate(names)}
        others = sorted({name for row in rows for name, *_ in row if name not in number})
        number |= {name: len(names) + i for i, name in enumerate(others)}
        arrays = []
        for row in rows:
            numbered = [(number[name], *place) for name, *place in row]
            arrays.append(np.array(numbered, dtype=np.int32).reshape(-1, 4))
        return cls(Mentions.of(arrays), others)

    def save(self, folder: Path) -> None:
        """Write all arrays below ``folder``."""
        self.mentions.save(folder, "questions")
        (folder / "others.json").write_text(
            json.dumps(list(self.others), ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
        )

    @classmethod
    def load(cls, folder: Path) -> QuestionNames:
        """Read the files of ``save``."""
        others = json.loads((folder / "others.json").read_text(encoding="utf-8"))
        return cls(Mentions.load(folder, "questions"), others)


@runtime_checkable
class Extractor(Protocol):
    """A strategy that finds names in a benchmark's passages, and then in questions."""

    def extract(self, benchmark: Benchmark, folder: Path) -> tuple[Extraction, Facts]:
        """Return the extraction of the passages, and facts for the manifest.

        An extractor whose work is done in parts (see harness.work.parts) also has a method
        ``fill(benchmark, folder)``, which computes the missing parts together with other processes.

        Args:
            benchmark: the benchmark.
            folder: a folder for shards. It may hold those of a killed build of the same artifact.
                Files that the extractor leaves there stay in the artifact.
        """
        ...

    def find_names(
        self, questions: Sequence[str], extraction: Extraction, folder: Path
    ) -> Iterable[Sequence[NamePlace]]:
        """Return the names in each question. They must not depend on the other questions.

        Args:
            questions: the questions.
            extraction: the extraction of the passages.
            folder: the folder of its artifact, with the files that ``extract`` left there.
        """
        ...


def artifact(extractor: Extractor, benchmark: Benchmark, store: Store) -> Artifact:
    """Return the artifact of the extraction. Build it if it is missing."""

    def build(folder: Path) -> Facts:
        extraction, facts = extractor.extract(benchmark, folder)
        extraction.save(folder)
        return {
            "entities": len(extraction.names),
            **extraction.passages.facts("passages"),
            "triples": len(extraction.triples.subject),
            **facts,
        }

    parts = getattr(extractor, "fill", None)
    fill = functools.partial(parts, benchmark) if parts else None
    inputs = {"corpus": benchmark.corpus_sha256}
    return store.get("extract", identity(extractor), inputs, build, resumable=True, fill=fill)


def extract(extractor: Extractor, benchmark: Benchmark, store: Store) -> Extraction:
    """Return the extraction of a corpus. It is computed once, then read from its artifact."""
    return Extraction.load(artifact(extractor, benchmark, store).path)


def find_names(extractor: Extractor, benchmark: Benchmark, store: Store) -> QuestionNames:
    """Return the names in the questions of a benchmark, as an artifact."""
    source = artifact(extractor, benchmark, store)

    def build(folder: Path) -> Facts:
        extraction = Extraction.load(source.path)
        rows = extractor.find_names(benchmark.questions, extraction, source.path)
        names = QuestionNames.of(rows, extraction.names)
        names.save(folder)
        return {"unknown_names": len(names.others), **names.mentions.facts("questions")}

    inputs = {"extraction": source.key, "questions": texts_sha256(benchmark.questions)}
    recognised = store.get("recognise", identity(extractor), inputs, build)
    return QuestionNames.load(recognised.path)
