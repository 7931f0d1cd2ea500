"""FAISS: an index in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from harness.core.arrays import Float32Array
from harness.plugins.dice.vectorstore import Search
from harness.retriever.search.exact import exact_search
from harness.retriever.search.index import build, search


@dataclass(frozen=True)
class Faiss:
    """A FAISS index. ``index`` is an ``index_factory`` string; ``Flat`` is exact search."""

    index: str = "Flat"

    @contextlib.contextmanager
    def open(self, vectors: Float32Array) -> Iterator[Search]:
        """Build the index and yield its search. See ``Vectorstore``."""
        if self.index == "Flat":
            yield partial(exact_search, vectors)
        else:
            yield partial(search, build(vectors, self.index), vectors)
