"""The best trial while a sweep is being scored: of those that have seen every query."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from harness.core.table import percent
from harness.evaluation.metric import Metric, average

PAUSE = 1.0
"""Seconds between two looks."""


class Leader:
    """Counts which trials are complete.

    names: of the trials.    objective: what the winner will be chosen by.    ranks: int32[T, Q, H], being filled.
    """

    def __init__(self, names: Sequence[str], objective: str, ranks: NDArray[np.int32]) -> None:
        self.names, self.metric, self.ranks = names, Metric.parse(objective), ranks
        self.left = np.full(len(names), ranks.shape[1])
        self._looked = 0.0

    def note(self, numbers: Sequence[int], queries: int) -> None:
        """These trials have seen so many queries more."""
        self.left[list(numbers)] -= queries

    def describe(self) -> str | None:
        """``best boltzmann ... 60.2 (84 of 163 trials complete)``; None without one, or just after the last look."""
        complete = np.flatnonzero(self.left == 0)
        if time.monotonic() - self._looked < PAUSE or not len(complete):
            return None
        self._looked = time.monotonic()
        scores = average(self.metric(self.ranks[complete]))
        best = int(scores.argmax())
        return (
            f"best {self.names[complete[best]]} {percent(float(scores[best]))} "
            f"({len(complete)} of {len(self.names)} trials complete)"
        )
