"""Datasets: where a benchmark comes from. Prepared files, upstream files, the Hub, or a generator.

A dataset is a frozen dataclass that loads a ``Benchmark``. Published ones (``published``) have a card in ``datasets/``.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from harness.artifacts import Store
from harness.benchmark import Benchmark


@runtime_checkable
class Dataset(Protocol):
    """A strategy that brings a benchmark."""

    def load(self, store: Store) -> Benchmark:
        """The benchmark, checked. What it makes or remembers is kept in ``store``."""
        ...
