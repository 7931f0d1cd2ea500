"""Candidate facts of many questions, ragged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.core.identity import texts_sha256


@dataclass(frozen=True, eq=False)
class Candidates:
    """M candidates of Q questions, taken from F facts.

    texts: F texts, a fact each, such as ``dune filmed by david lynch`` (subject, predicate, object).
    indptr: int64[Q + 1]; question q's candidates are ``fact[indptr[q]:indptr[q + 1]]``, best first.
    fact: int[M], places in ``texts``. ``Candidates(texts, np.arange(Q + 1) * n, near.ravel())`` is n nearest of each.
    """

    texts: Sequence[str]
    indptr: NDArray[np.int64]
    fact: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def question(self) -> NDArray[np.int64]:
        """int64[M]: whose candidate each is."""
        return np.repeat(np.arange(len(self)), self.lengths())

    def lengths(self) -> NDArray[np.int64]:
        """int64[Q]: how many candidates each question has."""
        return np.diff(self.indptr)

    def of(self, question: int) -> list[str]:
        """The texts of a question's candidates."""
        return [self.texts[fact] for fact in self.fact[self.indptr[question] : self.indptr[question + 1]].tolist()]

    def distinct(self) -> tuple[Candidates, NDArray[np.int64]]:
        """The same with distinct texts that all occur, each once a question where it came first; and int64[M], the
        place there of each candidate here. Facts are numbered in the order in which they first occur, so the result
        does not depend on what else is in ``texts``.
        """
        number: dict[str, int] = {}
        place: dict[tuple[int, int], int] = {}
        pairs = zip(self.question.tolist(), self.fact.tolist(), strict=True)
        named = [(question, number.setdefault(self.texts[fact], len(number))) for question, fact in pairs]
        back = np.array([place.setdefault(pair, len(place)) for pair in named], dtype=np.int64)
        rows = np.array(list(place), dtype=np.int64).reshape(-1, 2)
        indptr = np.searchsorted(rows[:, 0], np.arange(len(self) + 1))
        return Candidates(list(number), indptr.astype(np.int64), rows[:, 1].astype(np.int32)), back

    def hashes(self) -> list[str]:
        """What names the content: hashes of the texts, of the numbers of candidates, and of which they are."""
        arrays = (self.indptr.astype(np.int64), self.fact.astype(np.int64))
        return [texts_sha256(self.texts), *(texts_sha256([array.tobytes().hex()]) for array in arrays)]
