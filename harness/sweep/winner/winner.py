"""The winner of a lock, put to use: how it fuses given lists, and what it makes of questions nobody has judged."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.benchmark import Benchmark
from harness.core.configuration import StoredReader, compose, instantiate, strategy
from harness.core.device import resolve_device
from harness.core.errors import HarnessError, nearest, whole_number
from harness.core.identity import code_version
from harness.fusion.fuse import check, fuse_blocks
from harness.run import Run
from harness.sweep.folder.latest_sweep import latest
from harness.sweep.folder.lock import LOCK, lock_file, read_lock
from harness.sweep.trial import GROUPS, PoolSpec, Trial, engine, list_names, lists, other_anchor, reference_of
from harness.sweep.trial.knobs import fields, read_knobs
from harness.sweep.trial.override import ineffective, keys, settings_of, typed_knobs
from harness.sweep.trial.plan import reopen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from omegaconf import DictConfig
    from torch import Tensor

Questions = Mapping[str, str] | Sequence[str]
log = logging.getLogger(__name__)
UNREAD = {"normalizer": "pit", "temperature": "auto"}
"""Stand-ins where the trial's fuser reads none; typing others is no mistake then."""


def choose(config: DictConfig, names: Sequence[str], given: Sequence[str]) -> Trial:
    """What ``config`` says (a trial without settings), or the winner of ``config.lock`` with what it has learned.

    names: the lists that there are.    given: the overrides that were typed; none may change what a lock decides.
    """
    if config.lock is None:
        wanted = list_names("pool.lists", config.pool.get("lists", names), 1)
        anchor = other_anchor(reference_of(config.reference, list(names)), wanted)
        spec = PoolSpec(
            wanted, config.pool.cap, list_names("pool.capped", config.pool.capped), config.pool.importance, anchor
        )
        found = Trial(spec, **{group: instantiate(config[group]) for group in GROUPS}, settings={}, overrides=())
        read = replace(found, settings=settings_of(found, config))
        knobs = typed_knobs(given, config)
        for line in ineffective({knob: knobs.pop(knob) for knob in UNREAD if knob in knobs}, [read]):
            log.warning("%s", line)
        for mistake in ineffective(knobs, [read]):
            raise HarnessError(mistake)
    else:
        fixed = (*GROUPS, "pool", "reference")
        typed = [text for text, key in zip(given, keys(given), strict=True) if key.partition(".")[0] in fixed]
        if typed:
            raise HarnessError(f"lock={config.lock} decides what {' '.join(typed)} would change; leave one of them out")
        found = read_winner(lock_file(config.lock), bool(config.get("trust", False)))
    for each in found.pool.lists:
        if each not in names:
            who = f"lock={config.lock} fuses" if config.lock else "pool.lists names"
            raise HarnessError(f"{who} {each!r}{nearest(each, names)}, lists has {', '.join(names)}")
    check(found.fuser, found.normalizer)
    return found


def read_winner(path: Path, trusted: bool = False) -> Trial:
    """The winner of a ``winner.lock.json``, with what it has learned on all of tune.

    trusted: whether its models may be others than those of conf/. Raises HarnessError when the file is no lock, not as
    it was written, or names what conf/ does not.
    """
    winner = read_lock(path)["winner"]
    knobs = read_knobs({**UNREAD, **winner["parameters"]}, StoredReader(path, trusted))
    try:
        strategies = {group: strategy(group, str(knobs.get(group)), **fields(group, knobs)) for group in GROUPS}
        trial = Trial(
            _pool(knobs, path), **strategies, settings=winner["parameters"], overrides=(*winner["overrides"],)
        )
        return trial.with_learned(winner.get("learned", {}))
    except KeyError as error:
        raise HarnessError(f"{path}: winner.parameters lack {error}; sweep again") from error
    except HarnessError as error:
        raise HarnessError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from error


def _pool(knobs: Mapping[str, Any], path: Path) -> PoolSpec:
    names = {key: knobs.get(f"pool.{key}", []) for key in ("lists", "capped")}
    for key, value in names.items():
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise HarnessError(f"{path}: pool.{key} = {value!r}, expected a list of names; sweep again")
    cap, importance = knobs.get("pool.cap"), knobs.get("pool.importance")
    if not names["lists"] or not (cap is None or (isinstance(cap, int) and cap >= 1)):
        raise HarnessError(f"{path}: pool = {names['lists']}, cap {cap!r}; expected lists and a cap >= 1 or null")
    if not (importance is None or isinstance(importance, str)):
        raise HarnessError(f"{path}: pool.importance = {importance!r}, expected a file or null; sweep again")
    reference = knobs.get("reference")
    if reference is not None and reference not in names["lists"]:
        raise HarnessError(f"{path}: reference = {reference!r}, expected a list of the pool; sweep again")
    return PoolSpec(tuple(names["lists"]), cap, tuple(names["capped"]), importance, reference)


@dataclass(frozen=True, repr=False)
class Winner:
    """The locked winner of a sweep, with all that it learned on tune.

        winner = harness.Winner.load("runs/sweeps/NAME")
        winner.rank(["Who directed the film?"]).to_dict()

    trial: what was locked.    config: of its lists (retrievers, encoders, graph), of the benchmark, and where artifacts
    are.    lock: the content of the file.
    """

    trial: Trial
    config: DictConfig
    lock: Mapping[str, Any]

    def __repr__(self) -> str:
        """``Winner(boltzmann alpha=0.1 pit auto cap=20; lists dense, graph; chosen on sample by last_hop@5)``."""
        chosen = f"chosen on {self.lock['dataset']} by {self.lock['objective']}"
        return f"Winner({self.trial.name}; lists {', '.join(self.trial.pool.lists)}; {chosen})"

    @classmethod
    def load(cls, lock: str | Path, *overrides: str, trust: bool = False) -> Winner:
        """The winner of ``winner.lock.json``.

        Args:
            lock: the file, or the folder that holds it.
            overrides: of conf/apply.yaml, e.g. ``dataset=folder``, ``dataset.path=DIR``: another corpus.
            trust: whether its models may be others than those of conf/.

        Returns:
            The winner, with all that it learned.

        Raises:
            HarnessError: the lock was changed, or names what is not installed here.
        """
        folder = Path(lock).parent if Path(lock).name == LOCK else Path(lock)
        home = [f"paths.runs='{folder.resolve().parent.parent}'"] if folder.resolve().parent.name == "sweeps" else []
        trusted = [f"trust={str(trust).lower()}"]
        return cls.of(compose("apply", [f"lock='{folder}'", "out=none", *home, *trusted, *overrides]))

    @classmethod
    def of(cls, config: DictConfig) -> Winner:
        """The same by a configuration.

        Args:
            config: as conf/apply.yaml describes it.

        Returns:
            The winner, with all that it learned.

        Raises:
            HarnessError: the lock was changed, or ``lists`` names one that the winner does not fuse.
        """
        lock = lock_file(latest(Path(config.paths.runs)) if config.lock is None else config.lock)
        trial = read_winner(lock, bool(config.trust))
        stored = reopen(lock.parent, config).config
        if config.get("dataset") is not None:
            stored.dataset = config.dataset
        files = config.lists or {}
        if unknown := [name for name in files if name not in trial.pool.lists]:
            raise HarnessError(f"lists.{unknown[0]}: the winner fuses {', '.join(trial.pool.lists)}; give one of these")
        stored.lists = {name: files.get(name, stored.lists[name]) for name in trial.pool.lists}
        return cls(trial, stored, read_lock(lock))

    @cached_property
    def data(self) -> Benchmark:
        """The benchmark of ``config``."""
        return lists.benchmark(self.config)

    @property
    def made(self) -> dict[str, Any]:
        """What made its lists, by the names of ``harness.run.metadata``, for a card or the file beside a run."""
        from omegaconf import OmegaConf

        encoders = dict.fromkeys(_encoders(OmegaConf.to_container(self.config.lists, resolve=True)))
        return {
            "version": str(self.lock["sha256"])[:12],
            "code": f"multihop-harness {code_version()}",
            "encoder": ", ".join(encoders) or None,
            "fitted_on": [f"{self.lock['dataset']}/tune"],
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
        """As tables call it, e.g. ``boltzmann pit alpha=0.7 beta=0.5 cap=20``."""
        return self.trial.name

    def rank(self, questions: Questions | None = None, depth: int | None = None) -> Run:
        """Each question's documents, best first: retrieved, fused and reranked as the lock says.

        The lists are artifacts: asked again, the same questions take no time.

        Args:
            questions: by id, or in a sequence, where q0, q1, ... are their ids; None for those of the benchmark.
            depth: the best so many of each, at least 1; None for all.

        Returns:
            The ranked lists, with fused scores.

        Raises:
            HarnessError: a list holds none of the questions, or a question is no text.
        """
        if depth is not None:
            whole_number("depth", depth, 1)
        data = self.data if questions is None else self.data.asked(_named(questions))
        store = lists.store(self.config)
        retrievers = lists.retrievers(self.config)
        runs = lists.runs(retrievers, data, store)
        if silent := [name for name, run in runs.items() if not len(run.docs)]:
            raise HarnessError(
                f"lists.{silent[0]} holds none of the {len(data.query_ids)} questions; give a run of them"
            )
        context = lists.gather_context([self.trial], self.config, data)
        device = resolve_device(self.config.device)

        def score(block: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
            taken = {name: run.take(block) for name, run in runs.items()}
            pool = engine.align(self.trial.pool, taken, device, context.take(block))
            return self.trial.fused(pool), pool.docs

        return fuse_blocks(runs, score, device).top(depth)


def _encoders(node: Any) -> Iterator[str]:
    """The models, else classes, of the encoders in a configuration."""
    parts = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in parts:
        if key == "encoder" and isinstance(value, dict) and "_target_" in value:
            yield str(value.get("model") or value["_target_"].rpartition(".")[2])
        yield from _encoders(value)


def _named(questions: Questions) -> Mapping[str, str]:
    named = questions if isinstance(questions, Mapping) else {f"q{n}": text for n, text in enumerate(questions)}
    if isinstance(questions, str) or not named:
        raise HarnessError(f"questions = {questions!r}: expected some, by id or in a list")
    for name, text in named.items():
        if not isinstance(text, str) or not text.strip():
            raise HarnessError(f"question {name} = {text!r}: expected a text")
    return named
