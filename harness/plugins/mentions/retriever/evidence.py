"""Evidence that a passage answers a question: six numbers, and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from harness.core.arrays import Float64Array
from harness.core.errors import bounded
from harness.plugins.mentions.retriever.mentions.pairs import Values


class Weighted:
    """A dataclass of numbers, each the weight of a column.

    ``keys`` are the fields of the retriever that hold one, for errors.
    """

    keys: ClassVar[str]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            bounded(f"lists.NAME.({self.keys}).{name}", value)

    def worth(self, columns: Float64Array) -> Values:
        """Return float64[n], sum_j columns[:, j] weight_j, summed in the order of the fields."""
        total = np.zeros(len(columns))
        for column, weight in zip(columns.T, vars(self).values(), strict=True):
            total += weight * column
        return total


@dataclass(frozen=True)
class Weights(Weighted):
    """Weights of the evidence of a passage.

    worth(q, p) = question cos(q, p) + relation cos(q', p) + sentence max_s cos(q, s) +
    sentence_relation max_s cos(q', s) + words share(q, p) + title [the question names p's title].
    q' is the question with ``it`` for each title that it names, s a sentence of p, and share(q, p)
    the part of the question's words, weighted by rarity, that p has.
    """

    keys = "own, bridge, end"
    question: float = 0.0
    relation: float = 0.0
    sentence: float = 0.0
    sentence_relation: float = 0.0
    words: float = 0.0
    title: float = 0.0


@dataclass(frozen=True)
class Edge(Weighted):
    """Weights of the features of an edge from passage p to passage c.

    worth(p, c) = base + relation cos(q', s) + sentence cos(q, s) + rarity r + words new + bridged
    cos(q + b, c). s is the sentence that joins the two, r = 1 / log2(2 + n) for the n passages that
    share what joins them, new the part of the question's words that c has and p has not, and cos(q
    + b, c) the cosine of c with the question and p's best sentence as one text, 0 if it was not
    computed.
    """

    keys = "names, named_by, shares, resembles"
    base: float = 0.0
    relation: float = 0.0
    sentence: float = 0.0
    rarity: float = 0.0
    words: float = 0.0
    bridged: float = 0.0
