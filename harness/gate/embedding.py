"""The gate without a language model: facts whose text is near the question's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from harness.artifacts import Store
from harness.encoder import Encoder, embed
from harness.errors import bounded
from harness.gate import Candidates, Kept


@dataclass(frozen=True)
class Embedding:
    """Keeps the ``most`` facts of greatest cosine to the question, of those of at least ``threshold``.

    encoder: embeds questions and facts (as passages).    threshold: in [-1, 1].    most: at least 1; null for all.
    Of equal cosines the earlier candidate is kept.
    """

    version: ClassVar[int] = 1
    encoder: Encoder
    threshold: float = 0.5
    most: int | None = 4

    def __post_init__(self) -> None:
        bounded("gate.threshold", self.threshold, -1, 1)
        if self.most is not None:
            bounded("gate.most", self.most, 1)

    def decide(self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store) -> Kept:
        """See ``harness.gate.Gate``. Counts ``below`` (the threshold) and ``beyond`` (the most)."""
        cosine = np.empty(0)
        if len(candidates.fact):
            facts = np.asarray(embed(self.encoder, candidates.texts, "passage", store))
            asked = np.asarray(embed(self.encoder, questions, "question", store))
            cosine = _cosines(asked, facts, candidates)
        near = cosine >= self.threshold
        order = np.lexsort((np.arange(len(cosine)), -cosine, ~near, candidates.question))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - np.repeat(candidates.indptr[:-1], candidates.lengths())
        passed = near if self.most is None else near & (rank < self.most)
        return passed, {"below": int((~near).sum()), "beyond": int((near & ~passed).sum())}


def _cosines(
    asked: NDArray[np.float32], facts: NDArray[np.float32], candidates: Candidates, block: int = 8192
) -> NDArray[np.float64]:
    """float64[M], each summed alone, so that no neighbour changes it."""
    result = np.empty(len(candidates.fact))
    question = candidates.question
    for first in range(0, len(result), block):
        part = slice(first, first + block)
        result[part] = np.multiply(asked[question[part]], facts[candidates.fact[part]], dtype=np.float64).sum(axis=1)
    return result
