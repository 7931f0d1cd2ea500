"""The graph in memory: each entity's triples in one array."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.core.arrays import Int64Array
from harness.plugins.dice.triplestore import Expand, TripleTable


@dataclass(frozen=True)
class Memory:
    """Triples sorted by entity; an expansion is a slice per seed."""

    @contextlib.contextmanager
    def open(self, facts: TripleTable, inward: bool) -> Iterator[Expand]:
        """Sort the triples and yield their expansion. See ``Triplestore``."""
        ends = [facts.subject, facts.object] if inward else [facts.subject]
        entity = np.concatenate(ends)
        order = np.argsort(entity, kind="stable")
        triple = np.tile(np.arange(len(facts.subject)), len(ends))[order]
        indptr = np.searchsorted(entity[order], np.arange(len(facts.names) + 1))

        def expand(seeds: Int64Array) -> Int64Array:
            parts = [triple[indptr[seed] : indptr[seed + 1]] for seed in seeds.tolist()]
            return np.unique(np.concatenate([*parts, np.empty(0, np.int64)])).astype(np.int64)

        yield expand
