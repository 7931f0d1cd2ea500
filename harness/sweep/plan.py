"""What a sweep will do, and with what: its trials, the lists that they need, and the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from omegaconf import OmegaConf

from harness.benchmark import Benchmark
from harness.errors import HarnessError, bounded
from harness.metric import Metric
from harness.run import Run
from harness.statistic import clusters
from harness.sweep import engine, lists
from harness.sweep.grid import Grid
from harness.sweep.judgement import MARGIN
from harness.sweep.result import SweepResult
from harness.sweep.trial import Trial

if TYPE_CHECKING:
    from omegaconf import DictConfig
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Plan:
    """What a sweep will do, known before it does anything: the trials, the lists they need, and their identities."""

    config: DictConfig
    given: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in (self.config.objective, *self.config.metrics):
            Metric.parse(name)
        bounded("margin", self.margin, 0, 1, open_low=True)

    def trials(self) -> list[Trial]:
        """The different trials of the grid, baselines first. Every mistake in it is in one HarnessError."""
        wanted = ("fuser", "normalizer", "temperature", "reranker", "pool", "grid")
        plain = {key: OmegaConf.to_container(self.config[key], resolve=True) for key in wanted}
        return Grid({**plain, "lists": list(self.config.lists)}, self.given).trials()

    def stored(self) -> str:
        """The configuration as YAML, its interpolations kept, so that it holds wherever the runs folder is moved."""
        plain = cast("dict[str, Any]", OmegaConf.to_container(self.config, resolve=False))
        return OmegaConf.to_yaml(OmegaConf.create({**plain, "given": list(self.given)}))

    @property
    def margin(self) -> float:
        """The largest difference of the objective that does not matter."""
        return self.config.get("margin", MARGIN)  # type: ignore[no-any-return]

    @property
    def experiment(self) -> dict[str, Any] | None:
        """The tables and figures that this sweep is run for, as conf/experiment describes them; None for none."""
        described = self.config.get("experiment")
        return None if described is None else cast("dict[str, Any]", OmegaConf.to_container(described, resolve=True))

    @property
    def metrics(self) -> list[str]:
        """Metric columns: the configured ones, and the objective."""
        return list(dict.fromkeys([*self.config.metrics, self.config.objective]))


@dataclass(frozen=True)
class Prepared:
    """A plan with its data: the benchmark, every list's run, and the identity of each list."""

    plan: Plan
    benchmark: Benchmark
    runs: dict[str, Run]
    identities: dict[str, Any]

    @classmethod
    def of(cls, plan: Plan) -> Prepared:
        """Load or build all artifacts that the plan needs."""
        kept = lists.store(plan.config)
        data = lists.benchmark(plan.config)
        retrievers = lists.retrievers(plan.config)
        return cls(plan, data, lists.runs(retrievers, data, kept), lists.identities(retrievers))

    def hashes(self, trials: Sequence[Trial]) -> list[str]:
        """Each trial's hash."""
        return [trial.sha256(self.benchmark.sha256, self.identities) for trial in trials]

    def ranks(self, trials: Sequence[Trial], split: str) -> NDArray[np.int32]:
        """int32[T, Q, H] over the queries of a split."""
        members = self.benchmark.members(split)
        device = engine.resolve(self.plan.config.device)
        runs = {name: run.take(members) for name, run in self.runs.items()}
        return engine.score(trials, runs, self.benchmark.gold[members], device, True, self.mentions(trials))

    def mentions(self, trials: Sequence[Trial]) -> dict[str, csr_array]:
        """Sparse [D, E] by list: which passage mentions which entity; empty where no trial's reranker reads it.

        Raises HarnessError for a trial that reads it and whose pool has no list with a graph.
        """
        readers = [trial for trial in trials if "mentions" in getattr(trial.reranker, "reads", ())]
        if not readers:
            return {}
        names = {name for trial in readers for name in trial.pool.lists}
        graphs = lists.graphs({name: lists.retrievers(self.plan.config)[name] for name in sorted(names)})
        for trial in readers:
            if not graphs.keys() & set(trial.pool.lists):
                raise HarnessError(
                    f"reranker={trial.settings['reranker']} couples passages by the entities of a graph, and none of "
                    f"pool.lists={list(trial.pool.lists)} has one; add a list that walks a graph, e.g. "
                    "retriever@lists.graph=ppr, or set reranker=none"
                )
        return lists.mentions(graphs, self.benchmark, lists.store(self.plan.config))

    def queries(self, split: str) -> pd.DataFrame:
        """``id, hops, type, chain, cluster`` of a split's queries; those of a cluster share gold passages."""
        members = self.benchmark.members(split)
        frame = pd.DataFrame(
            {
                "id": self.benchmark.query_ids.to_pylist(),
                "hops": self.benchmark.queries["hops"][:],
                "type": self.benchmark.queries["type"][:],
                "chain": self.benchmark.chain,
            }
        )
        return frame.iloc[members].assign(cluster=clusters(self.benchmark.gold[members])).reset_index(drop=True)


def reopened(folder: Path, config: DictConfig) -> Plan:
    """The plan of a finished sweep, with the paths, device and tracking of the present configuration."""
    stored = cast("DictConfig", OmegaConf.load(SweepResult(folder).folder / "config.yaml"))
    given = tuple(stored.pop("given"))
    for key in ("paths", "device", "tracking"):
        stored[key] = config[key]
    return Plan(stored, given)
