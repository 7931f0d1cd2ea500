"""Gates, which keep some of the facts near a question's seeds.

Examples are HippoRAG 2's recognition and PolicyRAG's keep-drop. A gate is a frozen dataclass. A
retriever holds one as a field (``gate: ${gate}`` in its configuration) and asks it about all
questions together:

    candidates = Candidates(texts, indptr, fact)
    passed, facts = keep(self.gate, questions, candidates, store)

``passed`` is bool[M], over the entries of ``candidates.fact``; ``facts`` goes into the retriever's
manifest. The retriever handles a question without a kept fact (HippoRAG 2 uses its dense list). The
decisions are an artifact, named by the gate's identity and the hashes of questions and candidates.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from harness.core.arrays import BoolArray, Int64Array, read_array, write_array
from harness.core.identity import digest, identity, texts_sha256
from harness.work.store import Store

__all__ = ["Candidates", "Gate", "Kept", "keep"]

Kept = tuple[BoolArray, Mapping[str, object]]


@dataclass(frozen=True, eq=False)
class Candidates:
    """M candidates of Q questions, taken from F facts.

    ``Candidates(texts, np.arange(Q + 1) * n, near.ravel())`` has the n nearest of each question.

    Args:
        texts: F texts, one fact each, such as ``dune filmed by david lynch`` (subject, predicate,
            object).
        indptr: int64[Q + 1]; question q's candidates are ``fact[indptr[q]:indptr[q + 1]]``, best
            first.
        fact: int[M], places in ``texts``.
    """

    texts: Sequence[str]
    indptr: Int64Array
    fact: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def question(self) -> Int64Array:
        """int64[M], the question of each candidate."""
        return np.repeat(np.arange(len(self)), self.lengths())

    def lengths(self) -> Int64Array:
        """Return int64[Q], the number of candidates of each question."""
        return np.diff(self.indptr)

    def of(self, question: int) -> list[str]:
        """Return the texts of a question's candidates."""
        return [
            self.texts[fact]
            for fact in self.fact[self.indptr[question] : self.indptr[question + 1]].tolist()
        ]

    def distinct(self) -> tuple[Candidates, Int64Array]:
        """Return the candidates with distinct texts, and int64[M], the place there of each
        candidate here.

        Each text comes once per question, at its first place. Facts are numbered in the order in
        which they first occur, so the result does not depend on unused ``texts``.
        """
        number: dict[str, int] = {}
        place: dict[tuple[int, int], int] = {}
        pairs = zip(self.question.tolist(), self.fact.tolist(), strict=True)
        named = [
            (question, number.setdefault(self.texts[fact], len(number))) for question, fact in pairs
        ]
        back = np.array([place.setdefault(pair, len(place)) for pair in named], dtype=np.int64)
        rows = np.array(list(place), dtype=np.int64).reshape(-1, 2)
        indptr = np.searchsorted(rows[:, 0], np.arange(len(self) + 1))
        return Candidates(list(number), indptr.astype(np.int64), rows[:, 1].astype(np.int32)), back

    def hashes(self) -> list[str]:
        """Return hashes of the texts, of the numbers of candidates, and of the candidates."""
        arrays = (self.indptr.astype(np.int64), self.fact.astype(np.int64))
        return [
            texts_sha256(self.texts),
            *(texts_sha256([array.tobytes().hex()]) for array in arrays),
        ]


@runtime_checkable
class FactGate(Protocol):
    """A strategy that keeps or drops each candidate fact of each question."""

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        """Return bool[M], which candidates are kept, and counts for the manifest.

        The texts of the candidates are distinct, and each question has a fact once. ``folder``
        becomes the artifact; a gate may list faults there. If the gate has a true attribute
        ``together``, several processes decide together, in one folder (see
        harness.work.shared_rows).
        """
        ...


def keep(gate: FactGate, questions: Sequence[str], candidates: Candidates, store: Store) -> Kept:
    """Return bool[M], which candidates the gate keeps, and counts. The result is stored as an
    artifact.

    Candidates of a question with the same text have the same decision and count once. The counts
    are ``candidates``, ``kept`` and ``dropped`` (sums over questions, each text once per question),
    ``questions_without_candidate``, ``questions_with_nothing_kept`` (of those with candidates), and
    those of the gate.

    Args:
        gate: the gate.
        questions: the Q questions of the rows of ``candidates``, in any number and order.
        candidates: the facts.
        store: the store of the artifact.
    """
    if len(candidates) != len(questions):
        raise ValueError(
            f"candidates of {len(candidates)} questions for {len(questions)} questions"
        )
    clean, back = candidates.distinct()

    @functools.cache
    def decided(folder: Path) -> Kept:
        return gate.decide(questions, clean, folder, store)

    def build(folder: Path) -> Mapping[str, object]:
        passed, facts = decided(folder)
        write_array(folder / "kept.npy", passed)
        count = clean.lengths()
        kept = np.bincount(clean.question[passed], minlength=len(clean))
        return {
            "candidates": len(clean.fact),
            "kept": int(passed.sum()),
            "dropped": int((~passed).sum()),
            "questions_without_candidate": int((count == 0).sum()),
            "questions_with_nothing_kept": int(((kept == 0) & (count > 0)).sum()),
            **facts,
        }

    inputs = {"questions": texts_sha256(questions), "candidates": digest(clean.hashes())}
    together = decided if getattr(gate, "together", False) else None
    made = store.get("gate", identity(gate), inputs, build, resumable=True, together=together)
    return read_array(made.path / "kept.npy", np.bool_, (len(clean.fact),))[back], made.facts
