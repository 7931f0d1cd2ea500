"""Checks of the knobs and axes of a stored sweep, before objects are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.core.configuration import NAME, TARGET, StoredReader
from harness.sweep.folder.rows import Setting, Settings
from harness.sweep.trial import GROUPS
from harness.sweep.trial.override import POOL, values


def read_knobs(knobs: Settings, reader: StoredReader) -> dict[str, Setting]:
    """Return the flat knobs of a stored trial (``fuser``, ``fuser.k``, ``pool.cap``, ...).

    Raises HarnessError unless each strategy is one of conf/, and each other knob one of its fields
    or of the pool.
    """
    found: dict[str, Setting] = {}
    for group in GROUPS:
        if own := fields(group, knobs):
            read = reader.read({NAME: f"{group}/{knobs.get(group)}", **own}, group)
            found |= {f"{group}.{field}": value for field, value in read.items() if field != TARGET}
    for knob, value in knobs.items():
        if knob not in found:
            if knob not in (*GROUPS, *POOL, "reference"):
                raise reader.refuse((knob,), value, "expected a knob of a trial")
            found[knob] = reader.read(value, knob)
    return found


def read_axes(config: Mapping[str, Any], reader: StoredReader) -> None:
    """Raise HarnessError for an axis of a stored grid that gives a strategy a path outside the
    folder.
    """
    for block, axes in config["grid"].items():
        for knob, given in axes.items() if isinstance(axes, Mapping) else ():
            group, _, field = str(knob).partition(".")
            if group not in GROUPS or not field:
                continue
            own = {key: value for key, value in config[group].items() if key == NAME}
            for node in (own, *({NAME: f"{group}/{one}"} for one in values(axes.get(group, ())))):
                if node and field in reader.fields(node, "grid", str(block)):
                    reader.read({**node, field: given}, "grid", str(block), group)


def fields(group: str, knobs: Settings) -> dict[str, Setting]:
    """Return the fields that flat knobs give to the strategy of a group."""
    return {
        knob.removeprefix(f"{group}."): value
        for knob, value in knobs.items()
        if knob.startswith(f"{group}.")
    }
