"""Triple stores, which hold a graph while a retriever expands seeds by one hop.

A store is a frozen dataclass that opens a graph. All give the same triples for the same seeds; they
differ in the place of the graph and in speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from harness.core.arrays import Int64Array

Expand = Callable[[Int64Array], Int64Array]
"""From entities to the numbers of the triples that touch one of them, int64[N], ascending, each
once.
"""


@dataclass(frozen=True, eq=False)
class TripleTable:
    """T triples over E entities.

    Args:
        names: of the entities.
        relations: names of the relations.
        subject: int64[T], entities.
        relation: int64[T], places in ``relations``.
        object: int64[T], entities.
    """

    names: Sequence[str]
    relations: Sequence[str]
    subject: Int64Array
    relation: Int64Array
    object: Int64Array


@runtime_checkable
class Triplestore(Protocol):
    """A strategy that holds a graph."""

    def open(self, facts: TripleTable, inward: bool) -> AbstractContextManager[Expand]:
        """Load the graph; the context's value expands seeds along triples that leave or,
        ``inward``, reach them.
        """
        ...
