"""The first half of the protocol: score every trial on tune, and lock the choice."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from harness.benchmark.split import clusters, share_gold
from harness.core.arrays import Int32Array, write_array
from harness.core.errors import HarnessError
from harness.core.files import (
    locked,
    make_folder,
    remove_partials,
    write_frame,
    write_json,
    write_text,
)
from harness.core.identity import (
    code_version,
    digest,
    library_versions,
    record,
    unversioned,
)
from harness.core.resources import describe_machine, time_now
from harness.evaluation.metric import Metric
from harness.run import Run
from harness.sweep.folder.files import hashes
from harness.sweep.folder.judged_trial import JudgedTrial, comparisons_frame, trials_frame
from harness.sweep.folder.list_scores import scores_frame
from harness.sweep.folder.result import LOCK, SweepResult
from harness.sweep.judge import choice
from harness.sweep.judge.choice import Chosen
from harness.sweep.judge.edge import GridEdge, find_edges
from harness.sweep.judge.foresight import foresight
from harness.sweep.judge.table_rows import find_named
from harness.sweep.judge.trial_table import judge_trials
from harness.sweep.trial import engine
from harness.sweep.trial.inputs import fitted, oddities, recalls, retrievers, store
from harness.sweep.trial.kept_files import keep_files
from harness.sweep.trial.list_cost import cost, made_by
from harness.sweep.trial.prepared import Prepared
from harness.sweep.trial.trial import Trial, read_by

log = logging.getLogger(__name__)


def sweep(prepared: Prepared, trials: Sequence[Trial]) -> SweepResult:
    """Score the trials on tune, and write the sweep's folder with its lock."""
    started = time.perf_counter()
    data = prepared.benchmark
    members = data.need_members("tune")
    log.info("score: %d trials on %d questions", len(trials), len(members))
    findings, plan = Findings.of(prepared, trials), prepared.plan
    log.info("score: done in %.1f s", findings.seconds)
    folder = Path(plan.config.paths.runs) / "sweeps" / f"{data.name}-{findings.identity}"
    make_folder(folder)
    with locked(folder.with_suffix(".lock")):
        remove_partials(folder)
        held_out = False
        with contextlib.suppress(HarnessError):  # there is none, or it is damaged
            held_out = SweepResult(folder).heldout is not None
        if held_out:
            log.warning("%s was held out, so its files stay as they are", folder)
        else:
            local = replace(plan, config=keep_files(plan.config))
            write_text(folder / "config.yaml", local.stored())
            _ = findings.manifest  # judging counts
            seconds = time.perf_counter() - started
            spent = {"score": findings.seconds, "judge": seconds - findings.seconds}
            costs = cost(
                prepared.identities, data.sha256, store(plan.config), spent, len(data.questions)
            )
            measured = {
                "time": time_now(),
                "seconds": round(time.perf_counter() - prepared.began, 3),
                "cost": costs,
                "machine": describe_machine(),
            }
            findings.write(folder, measured)
        (folder / LOCK).touch()  # the latest sweep, also if it existed before
    return SweepResult(folder)


@dataclass(frozen=True)
class Findings:
    """The scored and judged trials of a grid on tune, and the tables, manifest and lock.

    Attributes:
        trials, rows, comparisons, ranks: in the order of the rule; trials by hash, ranks int32[T,
            Q, H].
        chosen: the baselines and the winner.
        edges: where the winner is at the edge of the grid.
        seconds: of scoring, without judging.
    """

    prepared: Prepared
    trials: Mapping[str, Trial]
    chosen: Chosen
    rows: list[JudgedTrial]
    ranks: Int32Array
    edges: list[GridEdge]
    seconds: float

    @classmethod
    def of(cls, prepared: Prepared, trials: Sequence[Trial]) -> Findings:
        """Score the trials, then order and judge them."""
        started = time.perf_counter()
        ranks = prepared.ranks(trials, "tune")
        seconds = time.perf_counter() - started
        by_hash = dict(zip(prepared.hashes(trials), trials, strict=True))
        plan, places = prepared.plan, {key: place for place, key in enumerate(by_hash)}
        metric = Metric.parse(plan.config.objective)
        chosen = choice.choose(by_hash, ranks, metric, plan.reference, prepared.impractical)
        ranks = ranks[[places[key] for key in chosen.order]]
        by_hash = {key: by_hash[key] for key in chosen.order}
        rows = judge_trials(prepared, by_hash, ranks, "tune", chosen)
        edges = find_edges(plan.grid, rows, metric, list(trials))
        return cls(prepared, by_hash, chosen, rows, ranks, edges, seconds)

    @cached_property
    def identity(self) -> str:
        """Return 12 hex digits from the trials, the rule of the choice, the code
        and the libraries.
        """
        plan, data = self.prepared.plan, self.prepared.benchmark
        versions = self.prepared.versions(self.trials.values())
        chosen_by = [plan.config.objective, plan.margin, plan.experiment, plan.reference]
        code = [versions, code_version(), library_versions()]
        if unversioned(versions):  # they may read what is in no hash
            code.append(hashlib.sha256(self.ranks.tobytes()).hexdigest())
        return digest([sorted(self.trials), data.split_facts, *chosen_by, *code])[:12]

    @cached_property
    def facts(self) -> dict[str, object]:
        """Return what manifest and lock have in common, with the forecast for test."""
        prepared = self.prepared
        plan, data = prepared.plan, prepared.benchmark
        objective = plan.config.objective
        tune, test = data.members("tune"), data.members("test")
        shared = share_gold(data.gold[test], data.gold[tune])
        judged = test[data.ordered[test]] if Metric.parse(objective).ordered else test
        labels, sizes = clusters(data.gold[tune]), np.bincount(clusters(data.gold[judged]))
        forecast = foresight(
            self.rows, self.ranks, objective, len(judged), self.chosen, labels, sizes
        )
        facts = {
            "dataset": data.name,
            "data_sha256": data.sha256,
            "split": "tune",
            "own_document": data.own_document,
            **data.split_facts,
            "shared_gold": float(shared.mean()) if len(shared) else 0.0,
            "n": self.rows[0].n,
            "made_by": made_by(prepared.identities, data.sha256, store(plan.config)),
            "objective": objective,
            "reference": plan.reference,
            "margin": plan.margin,
            **forecast,
        }
        if versions := prepared.versions(self.trials.values()):
            facts |= {"versions": versions, "orders": prepared.orders}
        return facts

    @cached_property
    def manifest(self) -> dict[str, object]:
        """Return ``manifest.json`` without the keys that each run measures (``MEASURED``)."""
        prepared = self.prepared
        plan, data = prepared.plan, prepared.benchmark
        gold, runs = data.gold[data.members("tune")], self._runs()
        pools = [trial.pool for trial in self.trials.values() if trial.family != "single"]
        manifest = {
            **self.facts,
            "counts": {"passages": len(data.doc_ids), "queries": len(data.query_ids)},
            "code": code_version(),
            "libraries": library_versions(),
            "lists": record(prepared.identities),
            "single": list(prepared.runs),
            "ceiling": [
                {
                    "lists": list(spec.lists),
                    "cap": spec.effective_cap,
                    "share": engine.ceiling(spec, runs, gold),
                    "candidates": engine.pool_size(spec, runs),
                }
                for spec in dict.fromkeys(pools)
            ],
            "coverage": prepared.coverage("tune"),
            **plan.graphs(data),
            "fitted": fitted(retrievers(plan.config), data),
            "recalls": recalls(prepared.identities, data, store(plan.config)),
        }
        winner = self.trials[self.chosen.winner]
        if (tied := prepared.tie_range(winner, "tune")) is not None:
            manifest["tie_range"] = tied
        if odd := oddities(prepared.identities, data, store(plan.config)):
            manifest["odd"] = odd
        if chain := plan.config.dataset.get("chain"):
            manifest["chain"] = str(chain)
        if data.origin:
            manifest["origin"] = dict(data.origin)
        if reads := read_by(self.trials.values()):
            manifest["reads"] = reads
        return manifest

    def write(self, folder: Path, measured: Mapping[str, object]) -> None:
        """Write all files next to ``config.yaml``, the lock last; measured: what each run measures
        again.
        """
        write_frame(folder / "trials.parquet", trials_frame(self.rows))
        objective = self.prepared.plan.config.objective
        write_frame(folder / "comparisons.parquet", comparisons_frame(self.rows, objective))
        write_frame(folder / "queries.parquet", self.prepared.queries("tune"))
        write_frame(folder / "scores.parquet", scores_frame(self._runs()))
        write_array(folder / "ranks.npy", self.ranks)
        write_json(folder / "manifest.json", {**self.manifest, **measured})
        facts = {
            **self.facts,
            "trials": len(self.trials),
            "edges": [asdict(edge) for edge in self.edges],
            "files": hashes(folder),
        }
        experiment = self.prepared.plan.experiment
        named = find_named(experiment, self.rows, self.ranks, self.chosen.baselines)

        def learned(wanted: Sequence[str]) -> dict[str, dict[str, object]]:
            fields = self.prepared.learned([self.trials[key] for key in wanted])
            return dict(zip(wanted, fields, strict=True))

        write_json(folder / LOCK, choice.lock(self.rows, self.chosen, facts, named, learned))

    def _runs(self) -> dict[str, Run]:
        """Return the lists of the tune questions."""
        members = self.prepared.benchmark.members("tune")
        return {name: run.take(members) for name, run in self.prepared.runs.items()}
