"""A grid: axes on the right of the pool, expanded into trials inside the process."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.configuration import defaults, instantiate, names
from harness.errors import HarnessError, nearest
from harness.fuser import check
from harness.identity import identity
from harness.sweep.trial import GROUPS, PoolSpec, Trial

POOL = ("pool.cap", "pool.lists", "pool.capped", "pool.importance")


@dataclass(frozen=True)
class Grid:
    """The trials of a configuration.

    config: plain containers: the four strategy groups, ``pool``, ``grid``, ``lists`` and ``seeds``.
    given: the overrides that the sweep itself was started with; a trial's own overrides follow them.
    """

    config: Mapping[str, Any]
    given: tuple[str, ...] = ()
    made: dict[str, Any] = field(default_factory=dict, repr=False)

    def trials(self) -> list[Trial]:
        """All different trials, baselines first. Raises one HarnessError that lists every bad point and axis."""
        mistakes: dict[str, None] = {}
        found: dict[str, Trial] = {}
        self._try({}, mistakes)  # also what every axis replaces must be right
        for point in [*self.baselines(), *self._points(mistakes)]:
            trial = self._try(point, mistakes)
            if trial is not None:
                found.setdefault(repr(trial.identity), trial)
        if mistakes:
            several = f"{len(mistakes)} mistakes in the configuration: " if len(mistakes) > 1 else ""
            raise HarnessError(several + "; ".join(mistakes))
        return list(found.values())

    def _try(self, point: Mapping[str, Any], mistakes: dict[str, None]) -> Trial | None:
        try:
            return self.trial(point)
        except HarnessError as error:
            mistakes.setdefault(str(error))
            return None

    def baselines(self) -> list[dict[str, Any]]:
        """The untuned points: every list alone, and RRF at k = 60 on the whole pool."""
        alone: list[dict[str, Any]] = [
            {"fuser": "single", "fuser.list": name, "pool.lists": [name], "pool.cap": None, "reranker": "none"}
            for name in self.config["lists"]
        ]
        if len(self.config["pool"]["lists"]) > 1:
            alone.append({"fuser": "rrf", "fuser.k": 60, "pool.cap": None, "reranker": "none"})
        return alone

    def trial(self, point: Mapping[str, Any]) -> Trial:
        """The trial of one point: values by knob, over the configuration's own."""
        pool = {key: point.get(f"pool.{key}", self.config["pool"][key]) for key in ("lists", "cap", "capped")}
        unknown = [name for name in pool["lists"] if name not in self.config["lists"]]
        if unknown:
            raise HarnessError(
                f"pool.lists names {unknown[0]}{nearest(unknown[0], self.config['lists'])}; "
                f"lists holds: {', '.join(self.config['lists'])}"
            )
        if pool["cap"] is not None and (not isinstance(pool["cap"], int) or pool["cap"] < 1):
            raise HarnessError(f"pool.cap must be a whole number >= 1 or null, got cap={pool['cap']}")
        chosen = {group: self._fields(group, point) for group in GROUPS}
        strategies = {group: self._made(fields) for group, fields in chosen.items()}
        prior = point.get("pool.importance", self.config["pool"].get("importance"))
        if prior is not None and not Path(prior).is_file():
            raise HarnessError(f"pool.importance={prior}: there is no such file; give a JSON file, or null")
        read = prior if "importance" in strategies["fuser"].reads else None
        spec = PoolSpec(tuple(pool["lists"]), pool["cap"], tuple(pool["capped"]), read)
        reads = "seeds" in getattr(strategies["reranker"], "reads", ())
        seeds = identity(self._made(self.config["seeds"])) if reads else None
        trial = Trial(spec, **strategies, settings={}, overrides=())
        settings = self._settings(trial, chosen)
        check(trial.fuser, trial.normalizer)
        return Trial(
            spec, **strategies, settings=settings, overrides=(*self._left(), *_overrides(settings)), seeds=seeds
        )

    def _points(self, mistakes: dict[str, None]) -> Iterator[dict[str, Any]]:
        for block, axes in self.config["grid"].items():
            used: set[str] = set()
            for point in _product(axes or {}):
                fit = {knob: value for knob, value in point.items() if self._has(knob, point)}
                used |= fit.keys()
                yield fit
            for knob in sorted(set(axes or {}) - used):
                mistakes.setdefault(f"grid.{block}: {self._unknown(knob)}")

    def _has(self, knob: str, point: Mapping[str, Any]) -> bool:
        group, _, name = knob.partition(".")
        return knob in POOL or (group in GROUPS and (not name or name in self._base(group, point)))

    def _unknown(self, knob: str) -> str:
        group = knob.partition(".")[0]
        if group not in GROUPS and names(group):
            return f"{knob} needs new runs; vary it with Hydra's multirun instead (harness sweep -m {knob}=...)"
        return f"{knob} is no knob of these points; an axis is one of {', '.join((*GROUPS, *POOL))} or a field of one"

    def _base(self, group: str, point: Mapping[str, Any]) -> Mapping[str, Any]:
        own: Mapping[str, Any] = self.config[group]
        name = point.get(group)
        return own if name is None or name == _name(own) else defaults(group, str(name))

    def _fields(self, group: str, point: Mapping[str, Any]) -> dict[str, Any]:
        fields = dict(self._base(group, point))
        for knob, value in point.items():
            head, _, name = knob.partition(".")
            if head == group and name:
                fields[name] = value
        return fields

    def _made(self, fields: Mapping[str, Any]) -> Any:
        """The strategy of these fields: one object for all trials that share it."""
        key = json.dumps(fields, sort_keys=True)
        if key not in self.made:
            self.made[key] = instantiate(dict(fields))
        return self.made[key]

    def _settings(self, trial: Trial, chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        read = {"normalizer": trial.reads_values, "temperature": trial.reads_probabilities}
        settings: dict[str, Any] = {}
        for group in GROUPS:
            if read.get(group, True):
                settings[group] = _name(chosen[group])
                settings.update({f"{group}.{key}": value for key, value in chosen[group].items() if key != "_target_"})
        settings["pool.lists"] = list(trial.pool.lists)
        settings["pool.cap"] = trial.pool.effective_cap
        if trial.pool.effective_cap is not None:
            settings["pool.capped"] = list(trial.pool.capped)
        if trial.pool.importance is not None:
            settings["pool.importance"] = trial.pool.importance
        return settings

    def _left(self) -> list[str]:
        """The given overrides that a trial's own do not replace and that move no files."""
        own = (*GROUPS, "pool", "grid", "paths", "tracking", "device", "dry_run", "sweep", "heldout", "hydra")
        return [text for text in self.given if text.lstrip("+~").partition("=")[0].partition(".")[0] not in own]


def _name(fields: Mapping[str, Any]) -> str:
    """A strategy's name: by the rule of the house, the last word of its module."""
    return str(fields["_target_"]).split(".")[-2]


def _product(axes: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Points of the product of the axes; the groups come first, so that their fields find them."""
    knobs = sorted(axes, key=lambda knob: ("." in knob, list(axes).index(knob)))
    values = [axis if isinstance(axis, (list, tuple)) else [axis] for axis in (axes[knob] for knob in knobs)]
    for combination in itertools.product(*values):
        yield dict(zip(knobs, combination, strict=True))


def _overrides(settings: Mapping[str, Any]) -> list[str]:
    return [f"{knob}={literal(value)}" for knob, value in settings.items()] + ["grid=point"]


def literal(value: Any) -> str:
    """A value as Hydra's override grammar reads it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(literal(item) for item in value) + "]"
    if not isinstance(value, str) or value.isidentifier():
        return str(value)
    return "'" + value.replace("'", "\\'") + "'"


__all__ = ["Grid", "literal"]
