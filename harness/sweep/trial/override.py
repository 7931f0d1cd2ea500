"""Overrides: typed ones, which restrict a grid's axes and must be used, and those of a single
trial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from harness.core.configuration.conf_files import defaults, names
from harness.core.configuration.overrides import STRATEGIES, Override
from harness.core.configuration.stored_strategy import NAME, TARGET, StoredReader, by_name
from harness.core.errors import HarnessError, unused
from harness.core.escape import override_key
from harness.sweep.folder.list_scores import Setting, Settings
from harness.sweep.trial.trial import RERANKER_INPUTS, Trial

LIST = re.compile(r"(retriever@)?lists\.")
POOL = ("pool.cap", "pool.lists", "pool.capped", "pool.importance")
Fields = Mapping[str, Setting]
"""The fields of a strategy, with its class under ``_target_``."""
Blocks = Mapping[str, Settings]
"""The axes of each block of a grid: a value or several, by knob."""


def keys(overrides: Sequence[str]) -> list[str]:
    """Return the keys of overrides, without ``+`` and ``~``."""
    return [Override.read(text).key for text in overrides]


def typed_knobs(overrides: Sequence[str], config: Mapping[str, Fields]) -> dict[str, Setting]:
    """Return the value of each knob that an override names: ``{"fuser": "rrf", "fuser.k": 5}``."""
    knobs: dict[str, Setting] = {}
    for key in keys(overrides):
        group, _, field = key.partition(".")
        field = field.partition(".")[0]
        knob = f"{group}.{field}"
        if group in STRATEGIES and not field:
            knobs[group] = name(config[group])
        elif group in STRATEGIES or knob in POOL:
            knobs[knob] = config[group].get(field)
    return knobs


def name(fields: Fields) -> str:
    """Return the name of a strategy's file in conf/, or of its module if it has none."""
    target = str(fields["_target_"])
    named = str(by_name({"_target_": target})["strategy"])
    return named.rpartition("/")[2] if "/" in named else target.split(".")[-2]


def restrict(grid: Blocks, typed: Settings) -> dict[str, dict[str, Setting]]:
    """Return the blocks with every typed knob as an axis with that one value.

    Of blocks that vary a strategy (``fuser``), those without the typed one are left out; if none
    has it, it replaces theirs in all of them.
    """
    blocks = {label: _axes(label, axes) for label, axes in grid.items()}
    for group in STRATEGIES:
        if group in typed:
            having = {
                label: axes
                for label, axes in blocks.items()
                if group not in axes or typed[group] in values(axes[group])
            }
            blocks = having or blocks
    fixed = {knob: [value] for knob, value in typed.items()}
    return {label: {**axes, **fixed} for label, axes in blocks.items()}


def _axes(label: str, axes: Settings | None) -> dict[str, Setting]:
    """Return the axes of a block."""
    if not isinstance(axes or {}, Mapping):
        raise HarnessError(
            f"grid.{label} = {axes!r}, expected axes with their values, e.g. {{fuser: [rrf, "
            "linear]}"
        )
    return dict(axes or {})


def values(axis: Setting) -> Sequence[Setting]:
    """Return the values of an axis; a single value is its only one."""
    return axis if isinstance(axis, (list, tuple)) else [axis]


def settings_of(trial: Trial, chosen: Mapping[str, Fields]) -> dict[str, Setting]:
    """Return the value of each knob that a trial reads; ``chosen``: fields of its strategies by
    group.
    """
    read = {"normalizer": trial.reads_values, "temperature": trial.reads_probabilities}
    settings: dict[str, Setting] = {}
    for group in STRATEGIES:
        if read.get(group, True):
            settings[group] = name(chosen[group])
            settings.update(
                {
                    f"{group}.{key}": value
                    for key, value in chosen[group].items()
                    if key != "_target_"
                }
            )
    settings |= trial.pool.settings
    if trial.pool.importance is not None and "importance" in trial.fuser.reads:
        settings["pool.importance"] = trial.pool.importance
    if trial.pool.reference is not None:
        settings["reference"] = trial.pool.reference
    return settings


def ineffective(typed: Settings, trials: Sequence[Trial]) -> Iterator[str]:
    """Yield a line for every typed knob that no trial reads, with the strategies that have such a
    field.
    """
    for knob, value in typed.items():
        if not any(_is_set(trial.settings, knob, value) for trial in trials):
            group, _, field = knob.partition(".")
            having = [strategy for strategy in names(group) if field in _fields(group, strategy)]
            hint = f"{field} is read by {group}={', '.join(having)}" if having else ""
            if field.startswith("cap"):
                hint = "it needs a pool.cap and a list that pool.capped names"
            yield unused(f"{knob}={value}", hint)


def _is_set(settings: Settings, knob: str, value: Setting) -> bool:
    """Return whether a trial has a typed value; a mapping may have further names."""
    current = settings.get(knob)
    if isinstance(value, Mapping) and isinstance(current, Mapping):
        return value.items() <= current.items()
    return knob in settings and current == value


def unread(
    overrides: Sequence[str], raw: Mapping[str, object], trials: Sequence[Trial]
) -> Iterator[str]:
    """Yield a line for every override of one of ``PARTS`` that neither a list nor a trial uses.

    raw: the configuration with its interpolations.
    """
    reranker_inputs = {part for trial in trials for part in trial.beside}
    used = _reached({"lists", "dataset", *reranker_inputs}, raw)
    for key in keys(overrides):
        part = re.split(r"[.@]", key.removeprefix("/"))[0]
        if part in PARTS and part not in used:
            yield unused(key)


def _reached(used: Set[str], raw: Mapping[str, object]) -> set[str]:
    """Return parts of a configuration, and all that their interpolations lead to."""
    reached: set[str] = set()
    new = set(used)
    while new:
        reached |= new
        referred = {name for part in new for name in _interpolations(raw.get(part, ""))}
        new = referred - reached
    return reached


def _interpolations(value: object) -> list[str]:
    """Return the parts of a configuration to which a value refers, as ``${encoder}`` does."""
    return re.findall(r"\$\{(\w+)", repr(value))


PARTS = ("extractor", "graph", "encoder", *RERANKER_INPUTS)
"""The parts of a configuration that only lists and rerankers use."""


def _fields(group: str, strategy: str) -> list[str]:
    return [field for field in defaults(group, strategy) if field not in ("_target_", "defaults")]


def overrides_of(settings: Settings) -> list[str]:
    """Return a trial's settings as overrides that run it alone."""
    return [
        f"{knob}={literal(value)}" for knob, value in settings.items() if knob != "reference"
    ] + ["grid=point"]


def literal(value: Setting) -> str:
    """Return a value in Hydra's override grammar."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        pairs = (f"{override_key(str(key))}:{literal(item)}" for key, item in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(literal(item) for item in value) + "]"
    if not isinstance(value, str) or value.isidentifier():
        return str(value)
    return "'" + value.replace("'", "\\'") + "'"


def read_knobs(knobs: Settings, reader: StoredReader) -> dict[str, Setting]:
    """Return the flat knobs of a stored trial (``fuser``, ``fuser.k``, ``pool.cap``, ...).

    Raises HarnessError unless each strategy is one of conf/, and each other knob one of its fields
    or of the pool.
    """
    flat: dict[str, Setting] = {}
    for group in STRATEGIES:
        if group_fields := fields(group, knobs):
            read = reader.read({NAME: f"{group}/{knobs.get(group)}", **group_fields}, group)
            flat |= {f"{group}.{field}": value for field, value in read.items() if field != TARGET}
    for knob, value in knobs.items():
        if knob not in flat:
            if knob not in (*STRATEGIES, *POOL, "reference"):
                raise reader.refuse((knob,), value, "expected a knob of a trial")
            flat[knob] = reader.read(value, knob)
    return flat


def read_axes(config: Mapping[str, Any], reader: StoredReader) -> None:
    """Raise HarnessError for an axis of a stored grid that gives a strategy a path outside the
    folder.
    """
    for block, axes in config["grid"].items():
        for knob, typed in axes.items() if isinstance(axes, Mapping) else ():
            group, _, field = str(knob).partition(".")
            if group not in STRATEGIES or not field:
                continue
            nodes = [{NAME: f"{group}/{name}"} for name in values(axes.get(group, ()))]
            if NAME in config[group]:
                nodes.insert(0, {NAME: config[group][NAME]})
            for node in nodes:
                reader.read({**node, field: typed}, "grid", str(block), group)


def fields(group: str, knobs: Settings) -> dict[str, Setting]:
    """Return the fields that flat knobs give to the strategy of a group."""
    return {
        knob.removeprefix(f"{group}."): value
        for knob, value in knobs.items()
        if knob.startswith(f"{group}.")
    }
