"""Datasets: where a benchmark comes from. Prepared files, upstream files, or the Hub.

A dataset is a frozen dataclass that loads a ``Benchmark``. Published ones (``published``) have a
card in ``datasets/``.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from harness.benchmark import Benchmark, Texts
from harness.work.store import Store


@runtime_checkable
class Dataset(Protocol):
    """A strategy that brings a benchmark."""

    def load(self, store: Store) -> Benchmark:
        """The benchmark, checked. What it makes or remembers is kept in ``store``."""
        ...


@runtime_checkable
class TextSource(Protocol):
    """A dataset whose texts can be read as they are, without storing anything."""

    def texts(self) -> Texts:
        """Passages and, where there are any, questions and gold."""
        ...
