"""Inputs of strategies in addition to lists: texts, mentions, seeds, relations, importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from harness.core.arrays import Float64Array, Int64Array
from harness.core.errors import HarnessError
from harness.work.store import Store

if TYPE_CHECKING:
    from scipy.sparse import csr_array

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class SourceTexts:
    """The texts of questions and passages.

    Attributes:
        questions: texts of Q questions.
        passages: texts of all documents, by number.
        store: store of a model's scores of pairs.
    """

    questions: Sequence[str]
    passages: Sequence[str]
    store: Store

    def take(self, queries: Int64Array) -> SourceTexts:
        """Return the texts of some of the questions."""
        return replace(self, questions=[self.questions[query] for query in queries.tolist()])


@dataclass(frozen=True, eq=False)
class Context:
    """The inputs of Q questions in addition to their lists; those that no strategy reads may be
    left out.

    Attributes:
        texts: the questions and all passages.
        seeding: the starting points of the questions in a graph, and relations: those between
            passages; objects of a plug-in with ``take``, like this class.
        mentions: sparse [D, E] by name of a list: which passage mentions which entity in the list's
            graph.
        importance: float64[D] in [0, 1] by file name: the prior importance of documents
            (``pool.importance``).
        types: type of each question, as in the benchmark.
    """

    texts: SourceTexts | None = None
    seeding: Any = None
    relations: Any = None
    mentions: Mapping[str, csr_array] = field(default_factory=dict)
    importance: Mapping[str, Float64Array] = field(default_factory=dict)
    types: Sequence[str | None] | None = None

    def take(self, queries: Int64Array) -> Context:
        """Return the context of some of the questions."""
        parts = {"texts": self.texts, "seeding": self.seeding, "relations": self.relations}
        taken: dict[str, Any] = {name: part and part.take(queries) for name, part in parts.items()}
        types = self.types and [self.types[query] for query in queries.tolist()]
        return replace(self, types=types, **taken)


def needed(part: T | None, asking: str) -> T:
    """Return a part of the context; raise HarnessError if lists come without it.

    Args:
        part: the part, or None.
        asking: who reads it, e.g. ``reranker=coverage reads the words of questions``.
    """
    if part is None:
        raise HarnessError(
            f"{asking}, and these lists come without; take it in `harness sweep`, where the "
            "benchmark has what it reads"
        )
    return part


NOTHING = Context()
"""The context of lists without other inputs."""


def default_anchor(names: Sequence[str]) -> str:
    """Return ``dense``, or the first list if none has that name."""
    return "dense" if "dense" in names else names[0]
