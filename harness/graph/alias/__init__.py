"""Aliases: names that refer to an entity with another name, found by explicit rules.

Differences that the normalised form removes in every graph are no aliases: case, punctuation,
compatibility forms (NFKC) and a bracketed tail. ``Dune (film)`` and ``Dune`` are one entity.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from harness.benchmark import Benchmark
from harness.core.arrays import Int32Array
from harness.graph.extractor import Extraction

__all__ = ["EVERYWHERE", "Alias", "names_by_passage", "rows"]

EVERYWHERE = -1
Rows = Int32Array


@runtime_checkable
class Alias(Protocol):
    """A rule that finds aliases, a frozen dataclass."""

    def find(self, benchmark: Benchmark, extraction: Extraction) -> Rows:
        """Return int32[n, 3]: passage (or ``EVERYWHERE``), name, and the name that it refers to
        there.
        """
        ...


def rows(found: list[tuple[int, int, int]]) -> Rows:
    """Return the rows as int32[n, 3]."""
    return np.array(found, dtype=np.int32).reshape(-1, 3)


def names_by_passage(extraction: Extraction) -> list[list[int]]:
    """Return the names of each passage: its title, its mentions and those of its triples, ascending
    and without repetition.
    """
    triples, mentions = extraction.triples, extraction.passages
    titled = np.flatnonzero(extraction.titled >= 0)
    passage = np.concatenate([titled, mentions.text, triples.passage, triples.passage]).astype(
        np.int64
    )
    name = np.concatenate(
        [extraction.titled[titled], mentions.entity, triples.subject, triples.object]
    )
    pairs = np.unique(np.stack([passage, name.astype(np.int64)], axis=1), axis=0)
    bounds = np.searchsorted(pairs[:, 0], np.arange(len(extraction.titled) + 1))
    return [pairs[low:high, 1].tolist() for low, high in pairwise(bounds)]
