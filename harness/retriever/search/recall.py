"""How much of an exact search an approximate index finds, measured on some of the questions themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.retriever.search.exact import nearest_rows
from harness.retriever.search.index import search

DEPTH = 100
AIM = 0.98
QUESTIONS = 100
"""Evenly chosen, on which the recall is measured."""
LARGE = 250_000
"""Passages up to which ``auto`` searches exactly."""


def auto_index(passages: int) -> str:
    """``Flat`` up to ``LARGE`` passages; above, an inverted file of 4 sqrt(D) lists of float16 vectors."""
    return "Flat" if passages <= LARGE else f"IVF{round(4 * math.sqrt(passages))},SQfp16"


class Recall:
    """recall@100 of an index: the share of the ``DEPTH`` best passages of ``QUESTIONS`` questions that it finds."""

    def __init__(self, passages: NDArray[np.float32], questions: NDArray[np.float32]) -> None:
        chosen = np.unique(np.linspace(0, len(questions) - 1, min(QUESTIONS, len(questions))).astype(np.int64))
        self.passages, self.questions = passages, questions[chosen]
        self.exact = nearest_rows(passages, self.questions, DEPTH)[0]

    def __call__(self, index: Any) -> float:
        """In [0, 1]."""
        found = search(index, self.passages, self.questions, DEPTH)[0]
        hits = [np.isin(row, mine).sum() for row, mine in zip(self.exact, found, strict=True)]
        return round(float(np.sum(hits)) / max(self.exact.size, 1), 4)

    def probe(self, index: Any) -> int:
        """Search as many lists of an inverted file, a power of 2, as the recall of ``AIM`` takes, and set it so."""
        import faiss

        inverted = faiss.extract_index_ivf(index)
        inverted.nprobe = 1
        while self(index) < AIM and inverted.nprobe < inverted.nlist:
            inverted.nprobe = min(2 * inverted.nprobe, inverted.nlist)
        probes: int = inverted.nprobe
        return probes
