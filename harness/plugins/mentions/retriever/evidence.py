"""What speaks for a passage as an answer to a question: six numbers, and what each is worth."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import bounded
from harness.plugins.mentions.retriever.mentions.pairs import Values


@dataclass(frozen=True)
class Weights:
    """worth(q, p) = question cos(q, p) + relation cos(q', p) + sentence max_s cos(q, s) +
    sentence_relation max_s cos(q', s) + words share(q, p) + title [the question names p's title]

    q' is the question with ``it`` for each title that it names, s a sentence of p, share(q, p) the
    part of the question's words, by their rarity, that p has.
    """

    question: float = 0.0
    relation: float = 0.0
    sentence: float = 0.0
    sentence_relation: float = 0.0
    words: float = 0.0
    title: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            bounded(f"lists.NAME.(own, bridge, end).{name}", value)

    def worth(self, evidence: NDArray[np.float64]) -> Values:
        """float64[n] of evidence [n, 6]."""
        return weighted_columns(evidence, self)


@dataclass(frozen=True)
class Edge:
    """worth(p, c) = base + relation cos(q', s) + sentence cos(q, s) + rarity r + words new +
    bridged cos(q + b, c)

    s: the sentence that joins the two. r: 1 / log2(2 + n), n the passages that share what joins
    them. new: the part of the question's words that c has and p has not. cos(q + b, c): the
    question and p's best sentence, read together, against c; 0 where that was not looked for.
    """

    base: float = 0.0
    relation: float = 0.0
    sentence: float = 0.0
    rarity: float = 0.0
    words: float = 0.0
    bridged: float = 0.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            bounded(f"lists.NAME.(names, named_by, shares, resembles).{name}", value)

    def worth(self, features: NDArray[np.float64]) -> Values:
        """float64[n] of features [n, 6]."""
        return weighted_columns(features, self)


def weighted_columns(columns: NDArray[np.float64], weights: Weights | Edge) -> Values:
    """sum_j columns[:, j] weights_j, summed in the order of the fields."""
    total = np.zeros(len(columns))
    for column, weight in zip(columns.T, astuple(weights), strict=True):
        total += weight * column
    return total
