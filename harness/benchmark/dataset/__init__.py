"""Datasets: sources of a benchmark, such as prepared files, upstream files or the Hub.

A dataset is a frozen dataclass that loads a ``Benchmark``. Published ones (``published``) have a
card in ``datasets/``.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from harness.benchmark import Benchmark
from harness.work.store import Store


@runtime_checkable
class Dataset(Protocol):
    """A strategy that loads a benchmark."""

    def load(self, store: Store) -> Benchmark:
        """Return the checked benchmark. Results that are kept are in ``store``."""
        ...
