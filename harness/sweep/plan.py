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
from harness.importance import prior
from harness.metric import Metric
from harness.run import Run
from harness.seeding import Seeding
from harness.statistic import clusters
from harness.sweep import engine, lists
from harness.sweep.grid import Grid
from harness.sweep.judgement import MARGIN
from harness.sweep.result import SweepResult
from harness.sweep.training import fit, folds
from harness.sweep.trial import Trial
from harness.texts import Texts

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
        seeds = OmegaConf.to_container(self.config.seeds, resolve=True) if "seeds" in self.config else None
        return Grid({**plain, "lists": list(self.config.lists), "seeds": seeds}, self.given).trials()

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

    def graphs(self, data: Benchmark) -> dict[str, Any]:
        """``graphs``: the statistics of each list's graph, where a table of the experiment tells them; else nothing."""
        if not any("graphs" in table for table in (self.experiment or {}).get("tables") or ()):
            return {}
        kept, walked = lists.store(self.config), lists.graphs(lists.retrievers(self.config))
        return {"graphs": {name: dict(graph.artifact(data, kept).facts) for name, graph in walked.items()}}

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

    def ranks(self, trials: Sequence[Trial], split: str, progress: bool = True) -> NDArray[np.int32]:
        """int32[T, Q, H] over the queries of a split, ``tune`` or ``test``.

        On tune, trials that learn are scored on each fold by what they learn on the others; on test, by what they
        learn on tune.
        """
        members = self.benchmark.members(split)
        ranks = np.empty((len(trials), len(members), self.benchmark.gold.shape[1]), dtype=np.int32)
        learners = [number for number, trial in enumerate(trials) if trial.learns]
        rest = [number for number, trial in enumerate(trials) if not trial.learns]
        ranks[rest] = self._scored([trials[number] for number in rest], members, progress)
        if not learners:
            return ranks
        chosen = [trials[number] for number in learners]
        tune = self.benchmark.members("tune")
        fold = folds(self.benchmark.query_ids.take(tune).to_pylist())
        for part in [None] if split == "test" else np.unique(fold):
            known = fit(chosen, *self._taken(tune if part is None else tune[fold != part]))
            held = slice(None) if part is None else np.flatnonzero(fold == part)
            ranks[np.array(learners)[:, None], np.arange(len(members))[held]] = self._scored(
                known, members[held], False
            )
        return ranks

    def learned(self, trials: Sequence[Trial]) -> list[dict[str, Any]]:
        """What each trial learns on all of tune, by knob; nothing for one that does not learn."""
        learners = [trial for trial in trials if trial.learns]
        known = iter(fit(learners, *self._taken(self.benchmark.members("tune"))))
        return [next(known).learned if trial.learns else {} for trial in trials]

    def _taken(self, members: NDArray[np.int64]) -> tuple[dict[str, Run], NDArray[np.int32]]:
        """The lists and the gold of some queries."""
        return {name: run.take(members) for name, run in self.runs.items()}, self.benchmark.gold[members]

    def _scored(self, trials: Sequence[Trial], members: NDArray[np.int64], progress: bool) -> NDArray[np.int32]:
        """int32[T, Q, H] of trials that need to learn nothing more."""
        runs, gold = self._taken(members)
        device = engine.resolve(self.plan.config.device)
        beside = (
            self.mentions(trials),
            self.importance(trials),
            self.texts(trials, members),
            self.seeding(trials, members),
        )
        return engine.score(trials, runs, gold, device, progress, *beside)

    def importance(self, trials: Sequence[Trial]) -> dict[str, NDArray[np.float64]]:
        """float64[D] by file: the documents' prior importance, where a trial reads it."""
        files = {trial.pool.importance for trial in trials if trial.pool.importance}
        return {name: prior(name, self.benchmark.doc_ids) for name in sorted(files)}

    def texts(self, trials: Sequence[Trial], members: NDArray[np.int64]) -> Texts | None:
        """The questions of some queries and all passages; None where no trial's reranker reads them."""
        if not any("texts" in getattr(trial.reranker, "reads", ()) for trial in trials):
            return None
        kept = lists.store(self.plan.config)
        return Texts(self.benchmark.questions, self.benchmark.passages, kept).take(members)

    def seeding(self, trials: Sequence[Trial], members: NDArray[np.int64]) -> Seeding | None:
        """What some queries start from; None where no trial's reranker reads it."""
        if not any("seeds" in getattr(trial.reranker, "reads", ()) for trial in trials):
            return None
        return lists.seeding(self.plan.config, self.benchmark, lists.store(self.plan.config)).take(members)

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
