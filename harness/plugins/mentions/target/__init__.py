"""Targets of `harness fit`: a strategy with numbers that may move, and how its lists are ranked
under some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.work.store import Store

if TYPE_CHECKING:
    from omegaconf import DictConfig

Weights = Mapping[str, float]
Knobs = Mapping[str, Sequence[float]]
"""[start, low, high, step] by name."""
Ranker = Callable[[Weights], NDArray[np.int32]]
"""int32[n, H]: gold ranks of the n tune questions under some weights."""


@dataclass(frozen=True, eq=False)
class Setting:
    """One benchmark of a fit: its configuration, its data, and where artifacts are kept."""

    config: DictConfig
    benchmark: Benchmark
    store: Store

    @property
    def members(self) -> NDArray[np.int64]:
        """int64[n]: the tune questions."""
        return self.benchmark.members("tune")


class Target(Protocol):
    """stages: what may move, fitted one after the other, each with what the ones before found."""

    @property
    def stages(self) -> Sequence[Knobs]: ...  # noqa: D102

    @property
    def strategy(self) -> Any:
        """What the weights are of."""
        ...

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """How the tune questions' gold is ranked in a stage, with the weights that the stages
        before found.
        """
        ...
