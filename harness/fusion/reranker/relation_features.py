"""What speaks for a passage beside those that were chosen before it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from harness.retriever.mentions import Related

FIRST = 10
"""How many of the best fused passages stand for what the question is about."""
FEATURES = (
    "score", "below", "words", "named",
    "first_names", "first_names_relation", "names_first", "first_shares", "first_shares_relation",
    "new", "covered", "names", "names_relation", "names_back", "names_back_relation", "shares", "shares_relation",
    "cosine", "naming", "sharing", "chosen",
)  # fmt: skip
"""The columns. Of the passage alone: its fused score, that minus the best, the share of the question's words that it
has, whether the question names its title; by the best of the first fused: how rare a name leads from one of them to it
(and the cosine of the sentence to the question), from it to one of them, and an entity that both mention. Beside what
was chosen: the share of the question's words that it has and they have not, the share that they have; the best name
from one of them to it, from it to one of them, an entity of both; the greatest cosine to one of them; how many of them
name it, and share an entity with it; how many there are.
"""


@dataclass(frozen=True, eq=False)
class State:
    """The best m passages of each question: docs int32[Q, m] (-1 for none), there bool, fused scores, relations."""

    docs: NDArray[np.int32]
    there: NDArray[np.bool_]
    scores: NDArray[np.float64]
    related: Related

    @cached_property
    def alone(self) -> list[NDArray[np.float64]]:
        """float64[Q, m] each: the features that do not depend on what was chosen."""
        related = self.related
        best = np.where(self.there, self.scores, -np.inf).max(axis=1, initial=-np.inf, keepdims=True)
        first = self.there & (np.arange(self.docs.shape[1]) < FIRST)
        return [
            self.scores,
            np.where(self.there, self.scores - best, 0.0),
            related.share(related.weight[:, None, :], related.held),
            related.named.astype(np.float64),
            _greatest(related.names, first),
            _greatest(related.names_relation, first),
            _greatest(related.names.swapaxes(1, 2), first),
            _greatest(related.shares, first),
            _greatest(related.shares_relation, first),
        ]

    def features(self, chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32[Q, m, F], in the order of ``FEATURES``. chosen: bool[Q, m]."""
        related = self.related
        bits = np.bitwise_or.reduce(np.where(chosen, related.held, np.uint64(0)), axis=1, keepdims=True)
        weight = related.weight[:, None, :]
        beside = [
            related.share(weight, related.held & ~bits),
            np.broadcast_to(related.share(weight, bits), self.docs.shape),
            _greatest(related.names, chosen),
            _greatest(related.names_relation, chosen),
            _greatest(related.names.swapaxes(1, 2), chosen),
            _greatest(related.names_relation.swapaxes(1, 2), chosen),
            _greatest(related.shares, chosen),
            _greatest(related.shares_relation, chosen),
            _greatest(related.cosine, chosen),
            _count(related.names, chosen),
            _count(related.shares, chosen),
            np.broadcast_to(chosen.sum(axis=1, keepdims=True), self.docs.shape),
        ]
        return np.stack([*self.alone, *beside], axis=2).astype(np.float32)


def _greatest(values: NDArray[np.float64], of: NDArray[np.bool_]) -> NDArray[np.float64]:
    """float64[Q, m]: for each column the greatest value in the rows of ``of``, 0 at least."""
    best: NDArray[np.float64] = np.where(of[:, :, None], values, 0.0).max(axis=1, initial=0.0)
    return best


def _count(values: NDArray[np.float64], of: NDArray[np.bool_]) -> NDArray[np.int64]:
    counted: NDArray[np.int64] = (of[:, :, None] & (values > 0)).sum(axis=1)
    return counted
