"""What fuses given lists: a configuration, or the winner of a lock with what it has learned."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.configuration import StoredReader, instantiate, strategy
from harness.core.errors import HarnessError, nearest, one_of
from harness.fusion.fuse import check
from harness.sweep.folder.lock import lock_file, read_lock
from harness.sweep.folder.rows import Settings
from harness.sweep.trial import GROUPS, PoolSpec, Trial, list_names, other_anchor, reference_of
from harness.sweep.trial.knobs import fields, read_knobs
from harness.sweep.trial.override import (
    check_fields,
    ineffective,
    keys,
    settings_of,
    typed_knobs,
)

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)
UNREAD = {"normalizer": "pit", "temperature": "auto"}
"""Stand-ins where the trial's fuser reads none; typing others is no mistake then."""


def choose_trial(config: DictConfig, names: Sequence[str], given: Sequence[str]) -> Trial:
    """What ``config`` says (a trial without settings), or the winner of ``config.lock`` with what
    it has learned.

    names: the lists that there are.    given: the overrides that were typed; none may change what a
    lock decides.
    """
    if config.lock is None:
        wanted = list_names("pool.lists", config.pool.get("lists", names), 1)
        anchor = other_anchor(reference_of(config.reference, list(names)), wanted)
        spec = PoolSpec(
            wanted,
            config.pool.cap,
            list_names("pool.capped", config.pool.capped),
            config.pool.importance,
            anchor,
        )
        found = Trial(
            spec,
            **{group: instantiate(config[group]) for group in GROUPS},
            settings={},
            overrides=(),
        )
        read = replace(found, settings=settings_of(found, config))
        knobs = typed_knobs(given, config)
        check_fields(knobs)
        for each in found.pool.capped if "pool.capped" in knobs else ():
            one_of("pool.capped", each, names)
        for line in ineffective(knobs, [read]):
            log.warning("%s", line)
    else:
        fixed = (*GROUPS, "pool", "reference")
        typed = [
            text
            for text, key in zip(given, keys(given), strict=True)
            if key.partition(".")[0] in fixed
        ]
        if typed:
            raise HarnessError(
                f"lock={config.lock} decides what {' '.join(typed)} would change; leave one of "
                "them out"
            )
        found = read_winner(lock_file(config.lock), bool(config.get("trust", False)))
    for each in found.pool.lists:
        if each not in names:
            who = f"lock={config.lock} fuses" if config.lock else "pool.lists names"
            raise HarnessError(
                f"{who} {each!r}{nearest(each, names)}, lists has {', '.join(names)}"
            )
    check(found.fuser, found.normalizer)
    return found


def read_winner(path: Path, trusted: bool = False) -> Trial:
    """The winner of a ``winner.lock.json``, with what it has learned on all of tune.

    trusted: whether its models may be others than those of conf/. Raises HarnessError when the file
    is no lock, not as it was written, or names what conf/ does not.
    """
    winner = read_lock(path)["winner"]
    knobs = read_knobs({**UNREAD, **winner["parameters"]}, StoredReader(path, trusted))
    try:
        strategies = {
            group: strategy(group, str(knobs.get(group)), **fields(group, knobs))
            for group in GROUPS
        }
        trial = Trial(
            _pool(knobs, path),
            **strategies,
            settings=winner["parameters"],
            overrides=(*winner["overrides"],),
        )
        return trial.with_learned(winner.get("learned", {}))
    except KeyError as error:
        raise HarnessError(f"{path}: winner.parameters lack {error}; sweep again") from error
    except HarnessError as error:
        raise HarnessError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from error


def _pool(knobs: Settings, path: Path) -> PoolSpec:
    lists, capped = (_names(knobs, f"pool.{key}", path) for key in ("lists", "capped"))
    cap, importance = knobs.get("pool.cap"), knobs.get("pool.importance")
    if not lists or not (cap is None or (isinstance(cap, int) and cap >= 1)):
        raise HarnessError(
            f"{path}: pool = {lists}, cap {cap!r}; expected lists and a cap >= 1 or null"
        )
    if not (importance is None or isinstance(importance, str)):
        raise HarnessError(
            f"{path}: pool.importance = {importance!r}, expected a file or null; sweep again"
        )
    reference = knobs.get("reference")
    if reference is not None and reference not in lists:
        raise HarnessError(
            f"{path}: reference = {reference!r}, expected a list of the pool; sweep again"
        )
    return PoolSpec(tuple(lists), cap, tuple(capped), importance, reference)


def _names(knobs: Settings, knob: str, path: Path) -> list[str]:
    value = knobs.get(knob, [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise HarnessError(f"{path}: {knob} = {value!r}, expected a list of names; sweep again")
    return value
