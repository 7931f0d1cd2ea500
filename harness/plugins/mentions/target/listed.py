"""The weights of any retriever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.core.arrays import Int32Array
from harness.evaluation.metric import run_ranks
from harness.plugins.mentions.retriever.fitted import with_weights
from harness.plugins.mentions.target import Ranker, Setting, Weights
from harness.retriever import Retriever


@dataclass(frozen=True)
class Listed:
    """Any retriever. Every evaluation retrieves again, so it takes the time of one list."""

    retriever: Retriever
    stages: Sequence[Mapping[str, Sequence[float]]]

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """Return the ranker. See ``Target``."""
        members, gold = setting.members, setting.benchmark.gold[setting.members]

        def rank(weights: Weights) -> Int32Array:
            chosen = with_weights(self.retriever, {**held, **weights})
            return run_ranks(
                chosen.retrieve(setting.benchmark, setting.store)[0].take(members), gold
            )

        return rank
