"""FAISS: an index in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from harness.retriever.index import build, search
from harness.vectorstore import Search


@dataclass(frozen=True)
class Faiss:
    """index: an ``index_factory`` string; ``Flat`` is exact search."""

    index: str = "Flat"

    @contextlib.contextmanager
    def open(self, vectors: NDArray[np.float32]) -> Iterator[Search]:
        """See Vectorstore."""
        made = build(vectors, self.index)
        yield partial(_search, made, vectors, self.index == "Flat")


def _search(
    index: object, vectors: NDArray[np.float32], exact: bool, questions: NDArray[np.float32], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return search(index, vectors, questions, depth, exact)
