"""The winner of a lock in use: its lists for questions without judgements."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.benchmark import Benchmark
from harness.core.arrays import Int64Array
from harness.core.configuration.composition import compose
from harness.core.device import resolve_device
from harness.core.errors import HarnessError, whole_number
from harness.core.identity import code_version
from harness.fusion.fuse import fuse_blocks
from harness.run import Run
from harness.sweep.folder.caption import part_names
from harness.sweep.folder.inventory import latest, name_origin
from harness.sweep.folder.lock import LOCK, Lock, check_same, lock_file, locked_winner, read_lock
from harness.sweep.folder.result import SweepResult
from harness.sweep.trial import inputs
from harness.sweep.trial.plan import Plan, reopen
from harness.sweep.trial.prepared import Prepared
from harness.sweep.trial.trial import Trial
from harness.sweep.winner.chosen_trial import read_winner
from harness.work.store import forget

if TYPE_CHECKING:
    from omegaconf import DictConfig
    from torch import Tensor

log = logging.getLogger(__name__)
Questions = Mapping[str, str] | Sequence[str]


@dataclass(frozen=True, repr=False)
class Winner:
    """The locked winner of a sweep, with all that it learned on tune.

        winner = harness.Winner.load("runs/sweeps/NAME") winner.rank(["Who directed the
        film?"]).to_dict()

    Attributes:
        trial: the locked trial.
        config: configuration of its lists (retrievers, encoders, graph), benchmark, and paths.
        lock: the content of the file.
        plan: the sweep's plan, with the paths of ``config``.
        folder: the sweep's.
    """

    trial: Trial
    config: DictConfig
    lock: Lock
    plan: Plan
    folder: Path

    def __repr__(self) -> str:
        """Return a line, e.g. ``Winner(boltzmann alpha=0.1 pit auto cap=20; lists dense, graph;
        ...)``.
        """
        chosen = f"chosen on {self.lock['dataset']} by {self.lock['objective']}"
        return f"Winner({self.name}; lists {', '.join(self.trial.pool.lists)}; {chosen})"

    @classmethod
    def load(cls, lock: str | Path, *overrides: str, trust: bool = False) -> Winner:
        """Return the winner of ``winner.lock.json``.

        Args:
            lock: the file, or its folder.
            overrides: of conf/apply.yaml, e.g. ``dataset=folder``, ``dataset.path=DIR``: another
                corpus.
            trust: whether its models may differ from those of conf/.

        Returns:
            The winner, with all that it learned.

        Raises:
            HarnessError: the lock was changed, or names what is not installed here.
        """
        folder = Path(lock).parent if Path(lock).name == LOCK else Path(lock)
        fixed = [f"lock='{folder}'", "out=none", f"trust={str(trust).lower()}"]
        if folder.resolve().parent.name == "sweeps":
            fixed.append(f"paths.runs='{folder.resolve().parent.parent}'")
        return cls.of(compose("apply", [*fixed, *overrides]))

    @classmethod
    def of(cls, config: DictConfig) -> Winner:
        """Return the winner by a configuration.

        Args:
            config: as in conf/apply.yaml.

        Returns:
            The winner, with all that it learned.

        Raises:
            HarnessError: the lock was changed, or ``lists`` names one that the winner does not
                fuse.
        """
        place = latest(Path(config.paths.runs)) if config.lock is None else config.lock
        lock = lock_file(place)
        trial = read_winner(lock, bool(config.trust))
        plan = reopen(lock.parent, config)
        stored = deepcopy(plan.config)
        if config.get("dataset") is not None:
            stored.dataset = config.dataset
        files = config.lists or {}
        if unknown := [name for name in files if name not in trial.pool.lists]:
            raise HarnessError(
                f"lists.{unknown[0]}: the winner fuses {', '.join(trial.pool.lists)}; give one "
                "of these"
            )
        stored.lists = {name: files.get(name, stored.lists[name]) for name in trial.pool.lists}
        return cls(trial, stored, read_lock(lock), plan, lock.parent)

    @cached_property
    def data(self) -> Benchmark:
        """Return the benchmark of ``config``."""
        with name_origin(self.folder):
            return inputs.benchmark(self.config)

    @property
    def made(self) -> dict[str, object]:
        """Return the sources of its lists, by the names of ``harness.run.metadata``."""
        from omegaconf import OmegaConf

        lists: Any = OmegaConf.to_container(self.config.lists, resolve=True)
        return {
            "version": str(self.lock["sha256"])[:12],
            "code": f"multihop-harness {code_version()}",
            "encoder": ", ".join(part_names(lists, "encoder")) or None,
            "fitted_on": [{"name": self.lock["dataset"], "split": "tune"}],
            "benchmark": self.data.name,
            "data_sha256": self.data.sha256,
            "strategy": self.name,
            "lists": list(self.config.lists),
            "lock": self.lock["sha256"],
            "measures": [self.lock["objective"]],
            "tests": [{"name": "exact McNemar", "correction method": "Holm"}],
        }

    @property
    def name(self) -> str:
        """The name in tables, e.g. ``boltzmann pit alpha=0.7 beta=0.5 cap=20``; if it ranks as a
        list on tune, ``graph (locked as boltzmann alpha=0 ...)``.
        """
        return locked_winner(self.lock)

    def rank(self, questions: Questions | None = None, depth: int | None = None) -> Run:
        """Return each question's documents, best first: retrieved, fused and reranked as locked.

        The lists are stored as artifacts: the same questions take no time again.

        Args:
            questions: by id, or a sequence with ids q0, q1, ...; None for those of the benchmark.
            depth: number of the best documents of each, 1 or more; None for all.

        Returns:
            The ranked lists, with fused scores.

        Raises:
            HarnessError: a list has none of the questions, a question is no text, or classes of
                other packages compute otherwise than in the sweep.
        """
        if depth is not None:
            whole_number("depth", depth, 1)
        if self.lock.get("versions"):
            self._check_own_code()
        data = self.data if questions is None else self.data.asked(_named(questions))
        forget()
        store = inputs.store(self.config)
        with name_origin(self.folder):
            runs = inputs.runs(inputs.retrievers(self.config), data, store)
            context = inputs.gather_context([self.trial], self.config, data)
        if silent := [name for name, run in runs.items() if not len(run.docs)]:
            raise HarnessError(
                f"lists.{silent[0]} has none of the {len(data.query_ids)} questions; give a "
                "run of them"
            )
        device = resolve_device(self.config.device)

        def score(block: Int64Array) -> tuple[Tensor, Tensor]:
            taken = {name: run.take(block) for name, run in runs.items()}
            pool = self.trial.pool.align(taken, device, context.take(block))
            return self.trial.fused(pool), pool.docs

        return fuse_blocks(runs, score, device).top(depth)

    def _check_own_code(self) -> None:
        """Raise HarnessError if classes of other packages compute otherwise than in the sweep.

        A warning says if the files of the sweep or its data are not here to find that out.
        """
        result = SweepResult(self.folder)
        try:
            with name_origin(self.folder):
                prepared, _ = Prepared.of(self.plan), result.ranks
        except HarnessError as error:
            log.warning(
                "%s: not checked whether %s computes as it did in the sweep: %s",
                self.folder,
                ", ".join(self.lock["versions"] or ()),
                error,
            )
        else:
            versions = prepared.versions(self.plan.trials())
            check_same(self.folder, "code", self.lock["versions"], versions)
            prepared.check_own_code(result, [self.lock["winner"]["trial"]])


def _named(questions: Questions) -> Mapping[str, str]:
    if isinstance(questions, str) or not len(questions):
        raise HarnessError(f"questions = {questions!r}: expected some, by id or in a list")
    named = questions
    if not isinstance(named, Mapping):
        named = {f"q{n}": text for n, text in enumerate(named)}
    for name, text in named.items():
        if not isinstance(text, str) or not text.strip():
            raise HarnessError(f"question {name} = {text!r}: expected a text")
    return named
