"""A plan with its data, which scores trials on a split."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from torch import Tensor

from harness.benchmark import Benchmark
from harness.benchmark.split import clusters
from harness.core.arrays import Int32Array, Int64Array
from harness.core.device import check_devices, resolve_device
from harness.core.errors import HarnessError
from harness.core.identity import digest, foreign_versions, version_of
from harness.core.table import counted, percent
from harness.core.threads import available, map_threads, torch_alone
from harness.evaluation.gold import Gold
from harness.evaluation.id_coverage import Coverage
from harness.evaluation.metric import Metric, RunRanks, means
from harness.fusion.context import Context
from harness.fusion.fuse import fuse_blocks
from harness.retriever import Retriever
from harness.run import Run
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial import engine, inputs
from harness.sweep.trial.engine import fit
from harness.sweep.trial.plan import Plan
from harness.sweep.trial.trial import Identities, Trial
from harness.work.store import Store, forget

log = logging.getLogger(__name__)


def open_lists(plan: Plan) -> tuple[dict[str, Retriever], Identities]:
    """Return the retriever of every list and its identity; HarnessError for a missing device or
    file.
    """
    resolve_device(plan.config.device)
    if unnamed := [name for name in plan.strategies() if "/" not in name]:
        log.warning(
            "%s is in no file of conf/, so that this sweep cannot be held out; `harness new` "
            "writes such a file",
            unnamed[0],
        )
    retrievers = inputs.retrievers(plan.config)
    for name, retriever in retrievers.items():
        check_devices(retriever, f"lists.{name}")
    return retrievers, inputs.identities(retrievers)


def open_benchmark(plan: Plan, store: Store) -> tuple[Plan, Benchmark]:
    """Return the plan with the metrics that its benchmark supports, and the benchmark.

    Raises HarnessError if it has no tune.
    """
    data = inputs.benchmark(plan.config, store)
    data.need_members("tune")
    if not len(data.members("test")):
        log.warning(
            "%s: no question is in test, so the choice on tune can never be evaluated",
            data.name,
        )
    for split in ("tune", "test"):
        if len(members := data.members(split)) and not data.ordered[members].any():
            plan = plan.without_order(data, split)
    return plan, data


@dataclass(frozen=True)
class Prepared:
    """A plan with its data: the benchmark, every list's run, and the identity of each list.

    Attributes:
        impractical: lists that use the gold, as their retrievers declare.
        began: when the lists began to be built, by ``time.perf_counter``.
    """

    plan: Plan
    benchmark: Benchmark
    runs: dict[str, Run]
    identities: Identities
    impractical: Collection[str] = ()
    began: float = field(default_factory=time.perf_counter)

    @classmethod
    def of(cls, plan: Plan, store: Store | None = None) -> Prepared:
        """Load or build what the plan needs, in its configuration's store or another one.

        Artifacts of classes without a version are computed again.
        """
        began = time.perf_counter()
        forget()
        store = store or inputs.store(plan.config)
        retrievers, identities = open_lists(plan)
        plan, data = open_benchmark(plan, store)
        impractical = [
            name
            for name, retriever in retrievers.items()
            if not getattr(retriever, "practical", True)
        ]
        runs = inputs.runs(retrievers, data, store)
        return cls(plan, data, runs, identities, impractical, began)

    def hashes(self, trials: Sequence[Trial]) -> list[str]:
        """Return each trial's hash."""
        data = self.benchmark.sha256
        if self.benchmark.own_document != "keep":
            data = digest([data, self.benchmark.own_document])
        return [trial.sha256(data, self.identities) for trial in trials]

    def versions(self, trials: Iterable[Trial]) -> dict[str, str]:
        """Return the version of each class or function of other packages in lists, trials and
        metrics.

        Without a version it is the hash of its file.
        """
        measures = [Metric.parse(name).measure for name in self.plan.metrics]
        formulas = [
            {"_target_": measure.target, "version": version_of(measure.function)}
            for measure in measures
        ]
        identities = [*self.identities.values(), *(trial.identity for trial in trials), *formulas]
        return foreign_versions(identities)

    @property
    def orders(self) -> dict[str, str]:
        """The SHA-256 of every list's documents in their order, for all questions."""
        return {
            name: hashlib.sha256(run.indptr.tobytes() + run.docs.tobytes()).hexdigest()
            for name, run in self.runs.items()
        }

    def check_own_code(self, result: SweepResult, keys: Sequence[str]) -> None:
        """Raise HarnessError if classes of other packages compute otherwise than in a sweep.

        They may depend on what no hash covers: a module that they import, a data file, the
        environment, a random number. So the order of every list, and the ranks and metrics of
        trials on tune, are compared.

        Args:
            result: the sweep.
            keys: the hashes of the trials.
        """
        trials, lock = self.plan.trials(), result.lock
        versions = lock.get("versions") or {}
        if not versions:
            return
        changed = (
            f"code or data that {', '.join(versions)} depends on changed, or is random; sweep "
            "again for a new lock"
        )
        orders = self.orders
        for name, sha256 in (lock.get("orders") or {}).items():
            if orders.get(name) != sha256:
                raise HarnessError(
                    f"{result.folder}: lists.{name} ranks otherwise than in the sweep: {changed}"
                )
        by_hash = dict(zip(self.hashes(trials), trials, strict=True))
        ranks = self.ranks([by_hash[key] for key in keys], "tune")
        scores = means(ranks, [Metric.parse(name) for name in self.plan.metrics])
        places = [result.trials["trial"].tolist().index(key) for key in keys]
        stored = result.trials[[*self.plan.metrics]].to_numpy(float)[places]
        differ = (ranks != np.asarray(result.ranks)[places]).any((1, 2))
        differ |= ~np.isclose(scores, stored, equal_nan=True).all(1)
        if differ.any():
            raise HarnessError(
                f"{result.folder}: {differ.sum()} of {counted(len(keys), 'locked trial')} scored "
                f"otherwise on tune than in the sweep: {changed}"
            )

    def ranks(self, trials: Sequence[Trial], split: str, progress: bool = True) -> Int32Array:
        """Return int32[T, Q, H] over the questions of a split, ``tune`` or ``test``.

        On tune, trials that learn are scored with cross-validation; on test with what they learn on
        tune.
        """
        members = self.benchmark.members(split)
        ranks = np.empty((len(trials), len(members), self.benchmark.gold.shape[1]), dtype=np.int32)
        learners = [number for number, trial in enumerate(trials) if trial.learns]
        rest = [number for number, trial in enumerate(trials) if not trial.learns]
        plain = [trials[number] for number in rest]
        ranks[rest] = self._score(plain, members, progress, self._context(plain))
        if not learners:
            return ranks
        learning = [trials[number] for number in learners]
        context = self._context(learning)
        tune = self.benchmark.members("tune")
        fold = self.benchmark.folds[tune]
        parts = [None] if split == "test" else np.unique(fold).tolist()

        def teach(part: int | None) -> list[Trial]:
            teaching = tune if part is None else tune[fold != part]
            return fit(learning, *self._take(teaching), context.take(teaching))

        threads = min(available(), len(parts))
        with torch_alone():
            for part, fitted in zip(parts, map_threads(teach, parts, threads), strict=True):
                held_out = slice(None) if part is None else np.flatnonzero(fold == part)
                fold_ranks = self._score(fitted, members[held_out], False, context)
                ranks[np.array(learners)[:, None], np.arange(len(members))[held_out]] = fold_ranks
        return ranks

    def learned(self, trials: Sequence[Trial]) -> list[dict[str, object]]:
        """Return what each trial learns on all of tune, by knob."""
        learners = [trial for trial in trials if trial.learns]
        tune = self.benchmark.members("tune")
        with torch_alone():
            fitted = iter(fit(learners, *self._take(tune), self._context(learners).take(tune)))
        return [next(fitted).learned if trial.learns else {} for trial in trials]

    def _take(self, members: Int64Array) -> tuple[dict[str, Run], Int32Array]:
        """Return the lists and the gold of some questions."""
        runs = {name: run.take(members) for name, run in self.runs.items()}
        return runs, self.benchmark.gold[members]

    def _context(self, trials: Sequence[Trial]) -> Context:
        """Return the further inputs of these trials, for all questions."""
        return inputs.gather_context(trials, self.plan.config, self.benchmark)

    def _score(
        self, trials: Sequence[Trial], members: Int64Array, progress: bool, context: Context
    ) -> Int32Array:
        """Return int32[T, Q, H] of trials that need not learn; context: of all questions."""
        runs, gold = self._take(members)
        device = resolve_device(self.plan.config.device)
        return engine.score(trials, runs, gold, device, progress, context.take(members))

    def coverage(self, split: str) -> dict[str, dict[str, object]]:
        """Return by list the counts and warnings over a split (see ``Coverage``), with one about
        equal scores whose order changes the objective.
        """
        members = self.benchmark.members(split)
        judged = Gold.of(self.benchmark).take(members.tolist())
        objective = Metric.parse(self.plan.config.objective)
        by_list = {}
        for name, run in self.runs.items():
            part = run.take(members)
            covered = Coverage.of(part, judged)
            warnings = covered.warnings()
            for ends in RunRanks(part, judged).tie_ranges([objective]).values():
                low, high = map(percent, ends)
                if low != high:
                    tied = f"a range of {objective} is known, {low} to {high}: scores are equal"
                    warnings.append(tied)
            by_list[name] = {**covered.to_dict(), "warnings": warnings}
        return by_list

    def tie_range(self, trial: Trial, split: str) -> list[float] | None:
        """Return the lowest and the highest objective over all orders of a trial's equal scores.

        None if no order changes it, or if the trial is scored with cross-validation.
        """
        if split == "tune" and trial.learns:
            return None
        members = self.benchmark.members(split)
        lists = {name: self.runs[name].take(members) for name in trial.pool.lists}
        context = self._context([trial]).take(members)
        device = resolve_device(self.plan.config.device)

        def fused(block: Int64Array) -> tuple[Tensor, Tensor]:
            taken = {name: run.take(block) for name, run in lists.items()}
            pool = trial.pool.align(taken, device, context.take(block))
            return trial.fused(pool), pool.docs

        judged = Gold.of(self.benchmark).take(members.tolist())
        run_ranks = RunRanks(fuse_blocks(lists, fused, device), judged)
        ends = run_ranks.tie_ranges([Metric.parse(self.plan.config.objective)]).values()
        return next(map(list, ends), None)

    def queries(self, split: str) -> pd.DataFrame:
        """Return ``id, hops, type, chain, cluster`` and the benchmark's ``marks`` of a split's
        questions.

        Questions of a cluster share gold passages.
        """
        members = self.benchmark.members(split)
        data = self.benchmark
        columns = {
            **data.marks,
            "id": data.query_ids.to_pylist(),
            "hops": data.queries["hops"][:],
            "type": data.queries["type"][:],
            "chain": data.chain,
        }
        frame = pd.DataFrame(columns).iloc[members].reset_index(drop=True)
        return frame.assign(cluster=clusters(data.gold[members]))
