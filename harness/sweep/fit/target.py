"""What is fitted: a strategy with numbers that may move, and how its lists are ranked under some of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from harness.benchmark import Benchmark
from harness.core.artifacts import Store
from harness.evaluation.metric import run_ranks
from harness.retriever import Retriever
from harness.retriever.fitted import with_weights
from harness.sweep.fit.search import Knobs, Weights

if TYPE_CHECKING:
    from omegaconf import DictConfig

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
        """How the tune questions' gold is ranked in a stage, with the weights that the stages before found."""
        ...


@dataclass(frozen=True)
class Listed:
    """Any retriever: every evaluation retrieves anew, so it takes the time of one list each."""

    retriever: Retriever
    stages: Sequence[Mapping[str, Sequence[float]]]

    @property
    def strategy(self) -> Retriever:
        """The retriever."""
        return self.retriever

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """See ``Target``."""
        members, gold = setting.members, setting.benchmark.gold[setting.members]

        def rank(weights: Weights) -> NDArray[np.int32]:
            chosen = with_weights(self.retriever, {**held, **weights})
            return run_ranks(chosen.retrieve(setting.benchmark, setting.store)[0].take(members), gold)

        return rank
