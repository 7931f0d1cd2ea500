"""The gate without a language model: facts whose text is similar to the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.core.errors import check_fields
from harness.model.encoder import Encoder, embed
from harness.model.encoder.embedding import pair_cosines
from harness.plugins.llm.gate import Candidates, Kept
from harness.work.store import Store


@dataclass(frozen=True)
class Embedding:
    """Keeps the ``most`` facts of greatest cosine to the question, if it reaches ``threshold``.

    Of equal cosines the earlier candidate is kept.

    Args:
        encoder: embeds questions and facts (as passages).
        threshold: in [-1, 1].
        most: >= 1; None for all.
    """

    version = 1
    encoder: Encoder
    threshold: float = 0.5
    most: int | None = 4

    def __post_init__(self) -> None:
        check_fields("gate", self, threshold="[-1, 1]", most="whole [1, inf) or null")

    def decide(
        self, questions: Sequence[str], candidates: Candidates, folder: Path, store: Store
    ) -> Kept:
        """Return the decisions (see ``FactGate``). It counts ``below`` (the threshold) and
        ``beyond`` (the most).
        """
        texts = [text for group in candidates for text in group]
        owner = np.repeat(np.arange(len(candidates)), [len(group) for group in candidates])
        cosine = np.empty(0)
        if texts:
            number = {text: place for place, text in enumerate(dict.fromkeys(texts))}
            facts = embed(self.encoder, list(number), "passage", store)
            asked = embed(self.encoder, questions, "question", store)
            fact = np.array([number[text] for text in texts])
            cosine = pair_cosines(asked, owner, facts, fact)
        near = cosine >= self.threshold
        rank = np.empty(len(texts), dtype=np.int64)
        order = np.lexsort((-cosine, owner))
        rank[order] = np.arange(len(texts)) - np.searchsorted(owner, owner)
        passed = near if self.most is None else near & (rank < self.most)
        return passed, {"below": int((~near).sum()), "beyond": int((near & ~passed).sum())}
