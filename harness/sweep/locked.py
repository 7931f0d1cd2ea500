"""A locked choice, to fuse other lists by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.configuration import instantiate, strategy
from harness.errors import HarnessError, nearest
from harness.fuser import Fuser, check
from harness.identity import digest
from harness.normalizer import Normalizer
from harness.reranker import Reranker
from harness.sweep.trial import GROUPS, PoolSpec, Trial
from harness.temperature import Temperature

if TYPE_CHECKING:
    from omegaconf import DictConfig

USUAL = {"normalizer": "pit", "temperature": "auto"}
"""What stands where the trial's fuser reads none."""


@dataclass(frozen=True)
class Choice:
    """How lists are fused. name: of the trial that was locked, None where the configuration decides."""

    fuser: Fuser
    normalizer: Normalizer
    temperature: Temperature
    reranker: Reranker
    pool: PoolSpec
    name: str | None = None


def choice(config: DictConfig, names: Sequence[str], given: Sequence[str]) -> Choice:
    """As ``config`` says, or as the winner of ``config.lock`` does, with what it has learned.

    names: the lists that there are.    given: the overrides that were typed; a lock leaves none of its own to them.
    """
    if config.lock is None:
        wanted = tuple(config.pool.get("lists", names))
        spec = PoolSpec(wanted, config.pool.cap, tuple(config.pool.capped), config.pool.importance)
        found = Choice(**{group: instantiate(config[group]) for group in GROUPS}, pool=spec)
    else:
        beside = [text for text in given if text.partition("=")[0].partition(".")[0] in (*GROUPS, "pool")]
        if beside:
            raise HarnessError(
                f"lock={config.lock} decides what {' '.join(beside)} would change; leave one of them out"
            )
        trial = locked(config.lock)
        found = Choice(**{group: getattr(trial, group) for group in GROUPS}, pool=trial.pool, name=trial.name)
    for each in found.pool.lists:
        if each not in names:
            who = f"lock={config.lock} fuses" if found.name else "pool.lists names"
            raise HarnessError(f"{who} {each!r}{nearest(each, names)}, lists has {', '.join(names)}")
    check(found.fuser, found.normalizer)
    return found


def locked(path: str | Path) -> Trial:
    """The winner of a ``winner.lock.json``, with what it has learned on all of tune.

    Raises HarnessError when the file is no lock, or not as it was written.
    """
    place = Path(path)
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
        whole = content.pop("sha256") == digest(content)
        winner, knobs = content["winner"], content["winner"]["parameters"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HarnessError(f"lock={place}: no lock of a sweep; give runs/sweeps/NAME/winner.lock.json") from error
    if not whole:
        raise HarnessError(f"lock={place}: changed since it was written (its sha256 differs); sweep again")
    named = {group: knobs.get(group, USUAL.get(group)) for group in GROUPS}
    strategies = {group: strategy(group, name, **_fields(group, knobs)) for group, name in named.items()}
    capped = tuple(knobs.get("pool.capped", ()))
    spec = PoolSpec(tuple(knobs["pool.lists"]), knobs["pool.cap"], capped, knobs.get("pool.importance"))
    trial = Trial(spec, **strategies, settings=knobs, overrides=tuple(winner["overrides"]))
    return trial.knowing(winner.get("learned", {}))


def _fields(group: str, knobs: Mapping[str, Any]) -> dict[str, Any]:
    return {knob.removeprefix(f"{group}."): value for knob, value in knobs.items() if knob.startswith(f"{group}.")}
