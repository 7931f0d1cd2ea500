"""How lists are fused: as the configuration says, or as the winner of a lock does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.configuration import StoredReader, instantiate, strategy
from harness.core.errors import HarnessError, nearest
from harness.fusion.fuse import check
from harness.fusion.fuser import Fuser
from harness.fusion.normalizer import Normalizer
from harness.fusion.reranker import Reranker
from harness.fusion.temperature import Temperature
from harness.sweep.folder.lock import read_lock
from harness.sweep.trial import GROUPS, PoolSpec, Trial, list_names, other_anchor, reference_of
from harness.sweep.trial.shape import fields, read_knobs

if TYPE_CHECKING:
    from omegaconf import DictConfig

UNREAD = {"normalizer": "pit", "temperature": "auto"}
"""Stand-ins where the trial's fuser reads none."""


@dataclass(frozen=True)
class Choice:
    """How lists are fused. name: of the trial that was locked, None where the configuration decides."""

    fuser: Fuser
    normalizer: Normalizer
    temperature: Temperature
    reranker: Reranker
    pool: PoolSpec
    name: str | None = None


def choose(config: DictConfig, names: Sequence[str], given: Sequence[str]) -> Choice:
    """As ``config`` says, or as the winner of ``config.lock`` does, with what it has learned.

    names: the lists that there are.    given: the overrides that were typed; none may change what a lock decides.
    """
    if config.lock is None:
        wanted = list_names("pool.lists", config.pool.get("lists", names), 1)
        anchor = other_anchor(reference_of(config.reference, list(names)), wanted)
        spec = PoolSpec(
            wanted, config.pool.cap, list_names("pool.capped", config.pool.capped), config.pool.importance, anchor
        )
        found = Choice(**{group: instantiate(config[group]) for group in GROUPS}, pool=spec)
    else:
        typed = [text for text in given if text.partition("=")[0].partition(".")[0] in (*GROUPS, "pool", "reference")]
        if typed:
            raise HarnessError(f"lock={config.lock} decides what {' '.join(typed)} would change; leave one of them out")
        trial = read_winner(Path(config.lock), bool(config.get("trust", False)))
        found = Choice(**{group: getattr(trial, group) for group in GROUPS}, pool=trial.pool, name=trial.name)
    for each in found.pool.lists:
        if each not in names:
            who = f"lock={config.lock} fuses" if found.name else "pool.lists names"
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
