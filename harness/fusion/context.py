"""What strategies read beside the lists of a pool: texts, vectors, mentions, seeds, relations,
importance, types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.core.errors import HarnessError
from harness.work.store import Store

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T")


class Seeding(Protocol):
    """What Q questions start from in a graph of entities and passages."""

    def take(self, queries: NDArray[np.int64]) -> Self:
        """Those of some of the questions."""
        ...

    def bonuses(
        self, docs: NDArray[np.int32], path: int, hub: float
    ) -> Mapping[str, NDArray[np.float64]]:
        """float64[Q, U] each, of passages int32[Q, U] (-1 for none): the phis of PolicyRAG's eq. 7,
        by their weights.

        Each is in [0, 1]. path: edges of a chain, 0 to 2.    hub: a node of n edges divides a chain
        by n^hub.
        """
        ...


class Relations(Protocol):
    """What joins the passages that Q questions find."""

    def take(self, queries: NDArray[np.int64]) -> Self:
        """Those of some of the questions."""
        ...


@dataclass(frozen=True, eq=False)
class SourceTexts:
    """questions: of Q queries.    passages: of all documents, by number.    store: keeps a model's
    scores of pairs.
    """

    questions: Sequence[str]
    passages: Sequence[str]
    store: Store

    def take(self, queries: NDArray[np.int64]) -> SourceTexts:
        """Those of some of the queries."""
        return replace(self, questions=[self.questions[query] for query in queries.tolist()])


@dataclass(frozen=True, eq=False)
class Context:
    """What Q queries have beside their lists. A part that no strategy reads may be left out.

    texts: the questions and all passages.    seeding: what the questions start from.
    relations: what joins the passages.
    mentions: sparse [D, E] by list name: which passage mentions which entity in the graph of that
    list.
    vectors: float32[D, d] of length 1, of all passages by the configuration's encoder.
    importance: float64[D] in [0, 1] by file name: the prior importance of documents
    (``pool.importance``).
    types: of each query, as the benchmark says it.
    """

    texts: SourceTexts | None = None
    seeding: Seeding | None = None
    relations: Relations | None = None
    vectors: NDArray[np.float32] | None = None
    mentions: Mapping[str, csr_array] = field(default_factory=dict)
    importance: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    types: Sequence[str | None] | None = None

    def take(self, queries: NDArray[np.int64]) -> Context:
        """That of some of the queries."""
        texts, seeding = (
            self.texts and self.texts.take(queries),
            self.seeding and self.seeding.take(queries),
        )
        relations = self.relations and self.relations.take(queries)
        types = self.types and [self.types[query] for query in queries.tolist()]
        return replace(self, texts=texts, seeding=seeding, relations=relations, types=types)


def needed(part: T | None, asking: str) -> T:
    """A part of the context that a strategy reads. Raises HarnessError where lists come without it.

    asking: who reads what, e.g. ``reranker=mmr compares passages by their vectors``.
    """
    if part is None:
        raise HarnessError(
            f"{asking}, and these lists come without; take it in `harness sweep`, where the "
            "benchmark has what it reads"
        )
    return part


NOTHING = Context()
"""The context of lists that come alone."""


def default_anchor(names: Sequence[str]) -> str:
    """``dense``, or the first when none has that name."""
    return "dense" if "dense" in names else names[0]
