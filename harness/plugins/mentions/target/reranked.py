"""A reranker's weights, over the fused list of the configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from harness.core.arrays import Int32Array
from harness.core.errors import HarnessError
from harness.evaluation.metric import gold_ranks
from harness.fusion.fuser import Calibrated
from harness.fusion.reranker import Reranker
from harness.plugins.mentions.retriever.fitted import with_weights
from harness.plugins.mentions.target import Ranker, Setting, Weights
from harness.sweep.trial import Plan, inputs


@dataclass(frozen=True)
class Reranked:
    """The weights of a reranker. Lists are fused once per benchmark; an evaluation reranks them.

    Fuser, normalizer, temperature and pool are those of the configuration: ``fuser=single
    fuser.list=graph pool.lists=[graph]`` fits the reranker of one list. A fuser that learns is an
    error, because it would have to learn again in each fold.
    """

    reranker: Reranker
    stages: Sequence[Mapping[str, Sequence[float]]]

    @property
    def strategy(self) -> Reranker:
        """The reranker."""
        return self.reranker

    def ranker(self, setting: Setting, stage: int, held: Weights) -> Ranker:
        """Return the ranker. See ``Target``."""
        made = inputs.retrievers(setting.config)
        trial = replace(Plan(setting.config, ()).grid.trial({}), reranker=self.reranker)
        if trial.learns:
            raise HarnessError(
                f"target=policy fits weights over a fixed fusion, and {trial.name} learns its "
                "own; choose a fuser and "
                "a normalizer that do not, e.g. fuser=single fuser.list=graph pool.lists=[graph]"
            )
        wanted = {name: made[name] for name in trial.pool.lists}
        runs = inputs.runs(wanted, setting.benchmark, setting.store)
        members, gold = setting.members, setting.benchmark.gold[setting.members]
        context = inputs.gather_context([trial], setting.config, setting.benchmark).take(members)
        taken = {name: run.take(members) for name, run in runs.items()}
        pool = Calibrated(
            trial.pool.align(taken, "cpu", context), trial.normalizer, trial.temperature
        )
        fused, columns, known = trial.fuser(pool), pool.pool.columns(gold), torch.from_numpy(gold)

        def rank(weights: Weights) -> Int32Array:
            chosen = with_weights(self.reranker, {**held, **weights})
            found: Int32Array = gold_ranks(
                chosen(fused.clone(), pool), pool.pool.docs, columns, known
            ).numpy()
            return found

        return rank
