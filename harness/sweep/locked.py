"""A locked choice, to fuse other lists by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.configuration import strategy
from harness.errors import HarnessError
from harness.identity import digest
from harness.sweep.trial import GROUPS, PoolSpec, Trial

USUAL = {"normalizer": "pit", "temperature": "auto"}
"""What stands where the trial's fuser reads none."""


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
