"""The plan of a sweep before it starts: its trials and its metrics."""

from __future__ import annotations

import dataclasses
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from omegaconf import DictConfig, OmegaConf

from harness.benchmark import Benchmark
from harness.core.configuration.overrides import STRATEGIES
from harness.core.configuration.stored_strategy import NAME, StoredReader, by_name
from harness.core.errors import CombinationError, HarnessError, bounded
from harness.core.secret import hide_secrets
from harness.evaluation.metric import Metric, metrics
from harness.evaluation.paired_comparison import MARGIN
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial import inputs
from harness.sweep.trial.grid import Grid
from harness.sweep.trial.kept_files import locate_files
from harness.sweep.trial.override import ineffective, keys, read_axes, unread
from harness.sweep.trial.trial import RERANKER_INPUTS, Trial, reference_of

log = logging.getLogger(__name__)
STORED = ("dataset", "lists", "pool", "grid", "objective", "metrics", *STRATEGIES)
"""The required keys of a stored configuration."""


@dataclass(frozen=True)
class Plan:
    """The plan of a sweep before it starts: the trials, their lists, and their identities."""

    config: DictConfig
    overrides: tuple[str, ...]

    def __post_init__(self) -> None:
        optional = (key for key in ("encoder", *RERANKER_INPUTS) if key in self.config)
        for key in ("dataset", *STRATEGIES, *optional):
            inputs.check_strategy(key, self.config.get(key))
        inputs.check_lists(self.config)
        if not isinstance(self.config.objective, str):
            raise HarnessError(
                f"objective: expected a text, the name of one metric, got {self.config.objective}"
            )
        objective, others = Metric.parse(self.config.objective), metrics(self.config.metrics, None)
        config = self.config.copy()
        config.objective, config.metrics = str(objective), list(map(str, others))
        object.__setattr__(self, "config", config)
        bounded("margin", self.margin, 0, 1, open_low=True)
        reference_of(self.config.get("reference"), list(self.config.lists))

    def trials(self) -> list[Trial]:
        """The distinct trials of the grid, baselines first; one HarnessError has all mistakes."""
        trials = self.grid.trials()
        inputs.graphs_read(trials, self.config)
        return trials

    def check_used(self, trials: Sequence[Trial]) -> None:
        """Raise CombinationError if neither these trials nor a list reads an override.

        A multirun has another cell that is the same without it.
        """
        raw = cast("dict[str, object]", OmegaConf.to_container(self.config, resolve=False))
        unused = [*unread(self.overrides, raw, trials), *ineffective(self.grid.typed, trials)]
        if unused:
            raise CombinationError("; ".join(unused))

    @cached_property
    def grid(self) -> Grid:
        """The grid with the configurations of its points."""
        plain: dict[str, object] = {
            key: OmegaConf.to_container(self.config[key], resolve=True)
            for key in (*STRATEGIES, "pool", "grid", *RERANKER_INPUTS)
            if key in self.config
        }
        least = inputs.least_scores(inputs.retrievers(self.config))
        lists = {"lists": list(self.config.lists), "least": least, "reference": self.reference}
        return Grid({**plain, **lists}, self.overrides)

    def strategies(self) -> list[str]:
        """The names of its strategies, ``fuser/rrf``, or the class if conf/ has no name for it."""
        plain = OmegaConf.to_container(self.config, resolve=False)
        return re.findall(rf"'{NAME}': '([^']+)'", repr(by_name(plain)))

    def stored(self) -> str:
        """The configuration as YAML: strategies by name, interpolations kept, so that runs can be
        moved.

        Users and passwords of addresses (a tracking server's) are left out.
        """
        plain = cast("dict[str, object]", OmegaConf.to_container(self.config, resolve=False))
        return hide_secrets(
            OmegaConf.to_yaml(OmegaConf.create({**by_name(plain), "given": list(self.overrides)}))
        )

    @property
    def margin(self) -> float:
        """The largest difference of the objective that does not matter."""
        return self.config.get("margin", MARGIN)  # type: ignore[no-any-return]

    @property
    def experiment(self) -> dict[str, Any] | None:
        """The tables and figures of this sweep, as conf/experiment describes them;
        None for none.
        """
        experiment: Any = self.config.get("experiment")
        return experiment and cast(
            "dict[str, Any]", OmegaConf.to_container(experiment, resolve=True)
        )

    def graphs(self, data: Benchmark) -> dict[str, object]:
        """Return ``graphs``, the statistics of each list's graph, if a table of the experiment
        needs them.
        """
        if not any("graphs" in table for table in (self.experiment or {}).get("tables") or ()):
            return {}
        store, walked = inputs.store(self.config), inputs.graphs(inputs.retrievers(self.config))
        return {
            "graphs": {
                name: dict(graph.artifact(data, store).facts) for name, graph in walked.items()
            }
        }

    @cached_property
    def reference(self) -> str:
        """The list against which wins are counted: as configured, otherwise dense, otherwise the
        first.
        """
        return reference_of(self.config.get("reference"), [str(name) for name in self.config.lists])

    def without_order(self, data: Benchmark, split: str) -> Plan:
        """Return the plan without metrics that need a hop order; a warning names them.

        For runs without a corpus, an objective that was not typed is replaced by full_sup of the
        same depth, which captions say. Otherwise HarnessError is raised if the objective needs an
        order.
        """
        config = self.config.copy()
        unordered = [name for name in config.metrics if not Metric.parse(name).ordered]
        objective = Metric.parse(config.objective)
        if objective.ordered:
            if not data.ids_only or "objective" in keys(self.overrides):
                raise HarnessError(
                    f"objective={config.objective}: no {split} question of {data.name} has a known "
                    "order of hops, so none "
                    "is the last; set e.g. objective=recall@5, or say which have one: "
                    "dataset.chain={field: [values]}"
                )
            config.objective = str(Metric("full_sup", objective.k))
        ordered = [name for name in config.metrics if name not in unordered]
        if ordered and not data.ids_only:
            log.warning(
                "%s: %s not measured, no %s question has a known order of hops",
                data.name,
                ", ".join(ordered),
                split,
            )
        config.metrics = unordered
        return dataclasses.replace(self, config=config)

    @property
    def metrics(self) -> list[str]:
        """Metric columns: the configured ones, and the objective."""
        return list(dict.fromkeys([*self.config.metrics, self.config.objective]))


def reopen(folder: Path, config: DictConfig) -> Plan:
    """Return the plan of a finished sweep with today's paths, device and tracking.

    Raises:
        HarnessError: the stored plan names a strategy that conf/ does not have
            (``core.configuration.stored_strategy``).
    """
    stored = SweepResult(folder).config
    overrides, here = tuple(stored.get("given", ())), ("paths", "device", "tracking")
    plain = {key: value for key, value in stored.items() if key not in ("given", *here)}
    plain = locate_files(plain, folder.resolve().parents[1])
    place = folder / "config.yaml"
    if missing := [key for key in STORED if key not in plain]:
        raise HarnessError(f"{place}: {missing[0]} is missing; sweep again")
    reader = StoredReader(place, bool(config.get("trust", False)))
    read_axes(plain, reader)
    reopened = OmegaConf.create(reader.read(plain))
    for key in here:
        reopened[key] = config[key]
    return Plan(reopened, overrides)
