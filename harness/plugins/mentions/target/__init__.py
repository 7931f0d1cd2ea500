"""Targets of `harness fit`: retrievers with numbers that may move, and the ranks of their lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness.benchmark import Benchmark
from harness.core.arrays import Int32Array, Int64Array
from harness.retriever import Retriever
from harness.work.store import Store

if TYPE_CHECKING:
    from omegaconf import DictConfig

Weights = Mapping[str, float]
Knobs = Mapping[str, Sequence[float]]
"""[start, low, high, step] by name."""
Ranker = Callable[[Weights], Int32Array]
"""Returns int32[n, H], gold ranks of the n tune questions under weights."""


@dataclass(frozen=True, eq=False)
class Setting:
    """One benchmark of a fit: its configuration, data and store."""

    config: DictConfig
    benchmark: Benchmark
    store: Store

    @property
    def members(self) -> Int64Array:
        """int64[n], the tune questions."""
        return self.benchmark.members("tune")


class Target(Protocol):
    """A retriever with ``stages`` of numbers, fitted in order; each stage keeps the earlier
    weights.
    """

    @property
    def stages(self) -> Sequence[Knobs]: ...  # noqa: D102

    @property
    def retriever(self) -> Retriever:
        """The retriever of the weights."""
        ...

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """Return the ranker of the tune questions' gold in a stage, with the weights of earlier
        stages.
        """
        ...
