"""The trial that fuses given lists: a configuration, or a lock's winner with what
it has learned.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.configuration.conf_files import strategy
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.overrides import STRATEGIES
from harness.core.configuration.stored_strategy import StoredReader
from harness.core.errors import HarnessError
from harness.core.identity import foreign_versions
from harness.fusion.fuse import check
from harness.fusion.fuser import check_shares
from harness.fusion.pool import PoolSpec, capped_lists
from harness.sweep.folder.lock import check_same, lock_file, read_lock
from harness.sweep.trial.override import (
    fields,
    ineffective,
    keys,
    read_knobs,
    settings_of,
    typed_knobs,
)
from harness.sweep.trial.trial import Trial, other_anchor, reference_of

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger(__name__)
UNREAD = {"normalizer": "pit", "temperature": "auto"}
"""Stand-ins for parts that the trial's fuser does not read; typing others is then no mistake."""


def choose_trial(config: DictConfig, names: Sequence[str], overrides: Sequence[str]) -> Trial:
    """Return the trial of ``config`` (without settings), or the winner of ``config.lock``.

    Args:
        config: the configuration.
        names: the given lists.
        overrides: the typed overrides; none may change what a lock decides.
    """
    if config.lock is None:
        knobs = typed_knobs(overrides, config)
        check_shares(fields("fuser", knobs))
        reference = reference_of(config.reference, list(names))
        capped = capped_lists(config.pool.capped, names, reference)
        spec = PoolSpec(**{"lists": names, **config.pool, "capped": capped})
        anchor = other_anchor(reference, spec.lists)
        trial = Trial(
            replace(spec, reference=anchor),
            **{group: instantiate(config[group]) for group in STRATEGIES},
            settings={},
            overrides=(),
        )
        read = replace(trial, settings=settings_of(trial, config))
        if "pool.capped" in knobs:
            trial.pool.check_capped(names)
        if unused := [*ineffective(knobs, [read])]:
            raise HarnessError("; ".join(unused))
    else:
        fixed = (*STRATEGIES, "pool", "reference")
        pairs = zip(overrides, keys(overrides), strict=True)
        if typed := [text for text, key in pairs if key.partition(".")[0] in fixed]:
            raise HarnessError(
                f"lock={config.lock} fixes what {' '.join(typed)} would change; leave one of "
                "them out"
            )
        trial = read_winner(lock_file(config.lock), bool(config.get("trust", False)))
        if classes := foreign_versions(trial.identity):
            log.warning(
                "lock=%s: %s has the locked version; only `harness apply` and `harness heldout` "
                "check its results",
                config.lock,
                ", ".join(classes),
            )
    place = f"lock={config.lock}" if config.lock else ""
    trial.pool.check_lists(names, place)
    check(trial.fuser, trial.normalizer)
    return trial


def read_winner(path: Path, trusted: bool = False) -> Trial:
    """Return the winner of a ``winner.lock.json``, with what it has learned on all of tune.

    Args:
        path: the lock.
        trusted: whether its models may differ from those of conf/.

    Raises:
        HarnessError: the file is no lock, was changed, names what conf/ does not have, or a class
            of another package has another version.
    """
    lock = read_lock(path)
    winner = lock["winner"]
    knobs = read_knobs({**UNREAD, **winner["parameters"]}, StoredReader(path, trusted))
    try:
        strategies = {
            group: strategy(group, str(knobs.get(group)), **fields(group, knobs))
            for group in STRATEGIES
        }
        keys = ("pool.lists", "pool.cap", "pool.capped", "pool.importance", "reference")
        pool: Any = {key.removeprefix("pool."): knobs[key] for key in keys if key in knobs}
        spec = PoolSpec(**{"lists": (), "capped": (), **pool})
        trial = Trial(
            spec,
            **strategies,
            settings=winner["parameters"],
            overrides=(*winner["overrides"],),
        )
        versions, locked = foreign_versions(trial.identity), lock.get("versions") or {}
        check_same(path.parent, "code", {name: locked.get(name) for name in versions}, versions)
        return trial.with_learned(winner.get("learned", {}))
    except KeyError as error:
        raise HarnessError(f"{path}: winner.parameters lack {error}; sweep again") from error
    except HarnessError as error:
        raise HarnessError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from error
