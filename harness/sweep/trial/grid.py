"""A grid: axes of fusion and reranking, expanded into trials inside the process."""

from __future__ import annotations

import dataclasses
import itertools
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from harness.core.configuration.conf_files import defaults, names
from harness.core.configuration.instantiation import instantiate
from harness.core.configuration.overrides import STRATEGIES
from harness.core.errors import (
    CombinationError,
    HarnessError,
    MissingFile,
    nearest,
)
from harness.core.escape import override_key
from harness.core.identity import identity
from harness.fusion.context import default_anchor
from harness.fusion.fuse import check
from harness.fusion.fuser import Shared, check_shares
from harness.fusion.importance import read_importance
from harness.fusion.pool import PoolSpec, capped_lists, list_names
from harness.sweep.folder.list_scores import Setting, Settings
from harness.sweep.trial.override import (
    POOL,
    Blocks,
    Fields,
    fields,
    keys,
    name,
    overrides_of,
    restrict,
    settings_of,
    typed_knobs,
    values,
)
from harness.sweep.trial.trial import RERANKER_INPUTS, Trial, other_anchor, reference_of

log = logging.getLogger(__name__)

BASELINES = "baselines"
"""The name of the untuned points in place of a block's."""


REPLACED = (
    *STRATEGIES,
    "pool",
    "grid",
    "paths",
    "tracking",
    "device",
    "dry_run",
    "sweep",
    "heldout",
    "hydra",
)
"""The first parts of keys whose overrides a trial's own do not repeat."""
SHARES = ("fuser.alpha", "fuser.weights")
"""The knobs of the lists' shares, of which a trial has one."""
SIMPLEX = "simplex"
"""The value of an axis of weights that stands for those of ``simplex``."""
Mistakes = dict[str, HarnessError]
"""Lines that describe mistakes, with their errors."""
Lacking = dict[tuple[str, str], tuple[Trial, dict[str, None]]]
"""By group and strategy a trial that must know more of its lists, and the lists of all of them."""


@dataclass(frozen=True)
class Grid:
    """The trials of a configuration.

    Attributes:
        config: plain containers: the four strategy groups, ``pool``, ``grid``, ``lists`` with
            their ``reference`` and the ``least`` score of each, and those of ``RERANKER_INPUTS``.
        overrides: those of the sweep; a trial's own overrides follow them. A knob that they
            name restricts the grid (see ``harness.sweep.trial.override``).
    """

    config: Mapping[str, Any]
    overrides: tuple[str, ...] = ()
    cache: dict[str, object] = field(default_factory=dict, repr=False)
    left_out: Mistakes = field(default_factory=dict, repr=False)

    def trials(self) -> list[Trial]:
        """Return all distinct trials, baselines first; one HarnessError lists every invalid point
        and axis.
        """
        by_identity: dict[str, Trial] = {}
        for _, trial in self.trials_by_block:
            by_identity.setdefault(repr(trial.identity), trial)
        return list(by_identity.values())

    @cached_property
    def trials_by_block(self) -> list[tuple[str, Trial]]:
        """The trial of every point with its block, ``BASELINES`` first; trials may repeat."""
        mistakes: Mistakes = {}
        unfit: Mistakes = {}
        lacking: Lacking = {}
        check_shares(fields("fuser", self.typed))
        if not self.typed:
            self._try({}, mistakes, mistakes, {})  # values that axes replace must be valid, too
        points: list[tuple[str, Trial]] = []
        for block, point in self.points(mistakes):
            if trial := self._try(point, mistakes, unfit, lacking):
                points.append((block, trial))
        self._leave_out(lacking, mistakes)
        if not self.typed or not points:
            mistakes |= unfit  # a typed strategy keeps those points that it goes with
        if not points:
            mistakes |= self.left_out
        alone = [self._try(point, mistakes, mistakes, {}) for point in self.baselines()]
        if mistakes:
            _raise(mistakes)
        return [*((BASELINES, trial) for trial in alone if trial), *points]

    def _try(
        self, point: Settings, mistakes: Mistakes, unfit: Mistakes, lacking: Lacking
    ) -> Trial | None:
        """Return the trial of a point, or None if it is a mistake or left out.

        ``unfit`` collects fusers and normalizers that do not go together, ``lacking`` those that
        must know more of some lists.
        """
        try:
            trial = self.trial(point)
        except HarnessError as error:
            mistakes.setdefault(str(error), error)
            return None
        try:
            check(trial.fuser, trial.normalizer)
        except HarnessError as error:
            unfit.setdefault(str(error), error)
            return None
        for group in ("fuser", "normalizer"):
            if _lacks(trial, group, trial.pool.lists):
                _, lists = lacking.setdefault((group, repr(trial.settings[group])), (trial, {}))
                lists.update(dict.fromkeys(trial.pool.lists))
                return None
        return trial

    def _leave_out(self, lacking: Lacking, mistakes: Mistakes) -> None:
        """Note a line for each strategy that some of its points must leave out; for a typed
        normalizer it is a mistake.
        """
        for (group, _), (trial, lists) in lacking.items():
            line = f"{trial.settings[group]} is not tried: {_lacks(trial, group, list(lists))}"
            if group == "normalizer" and group in self.typed:
                mistakes[line] = CombinationError(line)
            self.left_out[line] = CombinationError(line)

    def log_left_out(self) -> None:
        """Log a line for each strategy that ``trials`` left out, because it lacks a value."""
        for line in self.left_out:
            log.warning("%s", line)

    def untuned(self, trial: Trial) -> bool:
        """Return whether nothing was chosen for a trial: it is one of ``baselines``."""
        return repr(trial.identity) in self._untuned

    @cached_property
    def _untuned(self) -> set[str]:
        return {repr(self.trial(point).identity) for point in self.baselines()}

    def blocks_of(self, trial: Trial) -> list[str]:
        """Return the blocks that have one of ``trials``, which may have learned by now;
        ``BASELINES`` is one of them.
        """
        return list(self._blocks_of[trial.overrides])

    @cached_property
    def _blocks_of(self) -> dict[tuple[str, ...], dict[str, None]]:
        first: dict[str, Trial] = {}
        blocks_by_overrides: dict[tuple[str, ...], dict[str, None]] = {}
        for block, trial in self.trials_by_block:
            same = first.setdefault(repr(trial.identity), trial)
            blocks_by_overrides.setdefault(same.overrides, {})[block] = None
        return blocks_by_overrides

    def baselines(self) -> list[Settings]:
        """Return the untuned points: every single list, and RRF with k = 60 on the whole pool."""
        alone: list[Settings] = [
            {
                "fuser": "single",
                "fuser.list": name,
                "pool.lists": [name],
                "pool.cap": None,
                "reranker": "none",
            }
            for name in self.config["lists"]
        ]
        if len(list_names("pool.lists", self.config["pool"]["lists"], 1)) > 1:
            alone.append({"fuser": "rrf", "fuser.k": 60, "pool.cap": None, "reranker": "none"})
        return alone

    def trial(self, point: Settings) -> Trial:
        """Return the trial of one point: values by knob, over the configuration's own."""
        pool: dict[str, Any] = {
            key: point.get(f"pool.{key}", self.config["pool"][key])
            for key in ("lists", "cap", "capped")
        }
        pool["capped"] = capped_lists(pool["capped"], self._lists(point), self._reference)
        spec = PoolSpec(**pool)
        spec.check_lists(self.config["lists"])
        if "pool.capped" in point:
            spec.check_capped(self.config["lists"])
        chosen = {group: self._fields(group, point) for group in STRATEGIES}
        chosen["fuser"] = self._within(chosen["fuser"], spec.lists, point)
        if "minimum" in chosen["normalizer"]:
            minimum: Any = {**point, **self.typed}.get("normalizer.minimum") or {}
            least = self.config.get("least", {})
            declared = {name: least[name] for name in spec.lists if name in least}
            chosen["normalizer"]["minimum"] = {**declared, **minimum}
        strategies = {group: self._make(fields) for group, fields in chosen.items()}
        prior = point.get("pool.importance", self.config["pool"].get("importance"))
        if prior is not None:
            prior = str(prior)
            if not Path(prior).is_file():
                message = "there is no such file; give a JSON file, or null"
                raise MissingFile(f"pool.importance={prior}: {message}", prior)
            if "importance" not in getattr(strategies["fuser"], "reads", ()):
                prior = None
            elif (key := f"pool.importance={prior}") not in self.cache:
                self.cache[key] = read_importance(prior)
        spec = dataclasses.replace(spec, importance=prior, reference=self._anchor(spec.lists))
        reads = getattr(strategies["reranker"], "reads", ())
        beside = {
            name: identity(self._make(self.config[name]))
            for name in RERANKER_INPUTS
            if name in reads
        }
        trial = Trial(spec, **strategies, settings={}, overrides=(), beside=beside)
        settings = settings_of(trial, chosen)
        overrides = (*self._repeated_overrides(), *overrides_of(settings))
        return dataclasses.replace(trial, settings=settings, overrides=overrides)

    @cached_property
    def typed(self) -> dict[str, Setting]:
        """The value of each knob that was typed."""
        return typed_knobs(self.overrides, self.config)

    @cached_property
    def blocks(self) -> Blocks:
        """The axes of each block, restricted to the typed values, with the lists of each pool."""
        blocks = restrict(self.config["grid"], self.typed)
        for axes in blocks.values():
            if "pool.lists" in axes:
                axis = values(axes["pool.lists"])
                axes["pool.lists"] = list(pools(axis, self.config["lists"]))
        return blocks

    def points(self, mistakes: Mistakes) -> Iterator[tuple[str, dict[str, Setting]]]:
        """Yield each point with its block: values by knob, of the knobs that its
        strategies have.
        """
        for block, axes in self.blocks.items():
            used: set[str] = set()
            seen: set[str] = set()
            for point in _product(axes):
                fit = {knob: value for knob, value in point.items() if self._has(knob, point)}
                used |= fit.keys()
                fit = {knob: value for knob, value in fit.items() if self._shares(knob, fit)}
                for weighted in self._weighted(fit):
                    if (text := repr(weighted)) not in seen:
                        seen.add(text)
                        yield block, weighted
            for knob in sorted(axes.keys() - used):
                # a typed strategy may lack a block's knob
                if not {knob, knob.partition(".")[0]} & self.typed.keys():
                    empty = [name for name, values in axes.items() if not values]
                    fault = f"{empty[0]} has no value" if empty else self._unknown(knob)
                    line = f"grid.{block}: {fault}"
                    mistakes.setdefault(line, HarnessError(line))

    def _has(self, knob: str, point: Settings) -> bool:
        """Return whether a strategy of a point, or its pool, has a knob."""
        group, _, field = knob.partition(".")
        return knob in POOL or (
            group in STRATEGIES and (not field or field in self._base(group, point))
        )

    def _shares(self, knob: str, point: Settings) -> bool:
        """Return whether a knob is no share of lists, or the one that a point varies: weights if it
        has some, otherwise alpha. With an axis of alpha, ``simplex`` is not for two lists.
        """
        fuser = self._base("fuser", point)
        if knob not in SHARES or not {*SHARES} <= {f"fuser.{field}" for field in fuser}:
            return True
        weights = point.get("fuser.weights", fuser["weights"])
        if weights == SIMPLEX and "fuser.alpha" in point and len(self._lists(point)) == 2:
            weights = None
        return (weights is None) == (knob == "fuser.alpha")

    def _lists(self, point: Settings) -> Sequence[str]:
        return list_names("pool.lists", point.get("pool.lists", self.config["pool"]["lists"]), 1)

    def _weighted(self, point: dict[str, Setting]) -> Iterator[dict[str, Setting]]:
        """Yield the points of a point: one for each weighting if its weights are ``simplex``."""
        if point.get("fuser.weights") != SIMPLEX:
            yield point
            return
        for weights in simplex(self._lists(point)):
            yield {**point, "fuser.weights": weights}

    def _unknown(self, knob: str) -> str:
        group = knob.partition(".")[0]
        if group not in STRATEGIES and names(group):
            return (
                f"{knob} needs new runs; vary it with Hydra's multirun instead (harness sweep -m "
                f"{knob}=...)"
            )
        return (
            f"{knob} is no knob of these points; an axis is one of "
            f"{', '.join((*STRATEGIES, *POOL))} or a field of one"
        )

    def _base(self, group: str, point: Settings) -> Fields:
        chosen = point.get(group)
        key = (group, None if chosen is None else str(chosen))
        if key not in self._bases:
            self._bases[key] = self._read_base(*key)
        return self._bases[key]

    @cached_property
    def _bases(self) -> dict[tuple[str, str | None], Fields]:
        """The fields of the strategies that points choose, by group and name."""
        return {}

    def _read_base(self, group: str, chosen: str | None) -> Fields:
        configured: Fields = self.config[group]
        if chosen is not None and chosen != name(configured):
            return defaults(group, chosen)
        typed = {field for field in configured if f"{group}.{field}" in self.typed}
        foreign = typed - _accepted(configured) if typed else typed
        return {field: value for field, value in configured.items() if field not in foreign}

    def _fields(self, group: str, point: Settings) -> dict[str, Setting]:
        fields = dict(self._base(group, point))
        for knob, value in point.items():
            head, _, field = knob.partition(".")
            if head == group and field:
                fields[field] = value
        return fields

    def _within(self, fuser: Fields, lists: Sequence[str], point: Settings) -> dict[str, Setting]:
        """Return the fuser's fields; defaults that name lists are reduced to the pool's lists.

        ``list`` is then the reference, or the first list; a list that ``weights`` does not name has
        weight 1.
        """
        typed, fields = {*point, *self.typed}, dict(fuser)
        named, weights = fuser.get("list"), fuser.get("weights")
        if isinstance(named, str) and named not in lists:
            if "fuser.list" in typed:
                raise HarnessError(
                    f"fuser.list={named}{nearest(named, lists)}: pool.lists holds "
                    f"{', '.join(lists)}"
                )
            fields["list"] = self._anchor(lists) or default_anchor(lists)
        if (
            isinstance(weights, Mapping)
            and not {*lists} <= {*weights}
            and not any(key.startswith("fuser.weights") for key in typed)
        ):
            fields["weights"] = {name: weights.get(name, 1.0) for name in lists}
        if "alpha" in fields and fields.get("weights") is not None:
            fields["alpha"] = None
        return fields

    def _make(self, fields: Fields) -> Any:
        """Return the strategy of these fields: one object for all trials that share it."""
        key = json.dumps(fields, sort_keys=True)
        if key not in self.cache:
            self.cache[key] = instantiate(dict(fields))
        return self.cache[key]

    @cached_property
    def _reference(self) -> str:
        return reference_of(self.config.get("reference"), list(self.config["lists"]))

    def _anchor(self, lists: Sequence[str]) -> str | None:
        return other_anchor(self._reference, lists)

    def _repeated_overrides(self) -> list[str]:
        """Return the typed overrides that a trial's own do not replace and that are no paths."""
        pairs = zip(self.overrides, keys(self.overrides), strict=True)
        return [text for text, key in pairs if key.split(".")[0] not in REPLACED]


def _lacks(trial: Trial, group: str, lists: Sequence[str]) -> str | None:
    """Return what the fuser or the normalizer of a trial must know of some lists, or None."""
    if group == "normalizer":
        named = trial.reads_values and not trial.learns
        lacks = getattr(trial.normalizer, "lacks", None) if named else None
        return lacks and lacks(lists)
    shared = isinstance(trial.fuser, Shared) and trial.fuser.weights is None
    if not shared or len(trial.pool.lists) == 2:
        return None
    if len(lists) < 2:
        return f"alpha weighs two lists, and there is {lists[0]} alone; add a list"
    weights = ", ".join(f"{override_key(name)}: 1" for name in lists)
    return (
        f"alpha weighs two lists, and the pool has {len(trial.pool.lists)}; add "
        f"'fuser.weights={{{weights}}}'"
    )


def _accepted(fields: Fields) -> set[str]:
    """Return the fields of a strategy's class."""
    from hydra.utils import get_class

    return {field.name for field in dataclasses.fields(get_class(str(fields["_target_"])))}


def pools(axis: Sequence[Setting], names: Sequence[str]) -> Iterator[Setting]:
    """Yield the values of an axis of lists: ``pairs`` is every pair of the names, ``all`` all of
    them; each pool once.
    """
    seen: list[Setting] = []
    for value in axis:
        named: dict[object, list[Setting]] = {
            "pairs": [list(pair) for pair in itertools.combinations(names, 2)],
            "all": [list(names)],
        }
        for pool in named.get(value, [value]) if isinstance(value, str) else [value]:
            if pool not in seen:
                seen.append(pool)
                yield pool


def simplex(names: Sequence[str]) -> Iterator[dict[str, Setting]]:
    """Yield weights by list name that sum to 1: every list has a share, and two more shares are
    given out in every way (three weightings of two lists, six of three).
    """
    total = len(names) + 2
    for extra in itertools.combinations_with_replacement(names, 2):
        yield {name: round((1 + extra.count(name)) / total, 4) for name in names}


def _product(axes: Settings) -> Iterator[dict[str, Setting]]:
    """Yield points of the product of the axes; groups come first, so that their
    fields find them.
    """
    knobs = sorted(axes, key=lambda knob: "." in knob)
    for combination in itertools.product(*(values(axes[knob]) for knob in knobs)):
        yield dict(zip(knobs, combination, strict=True))


def _raise(mistakes: Mistakes) -> NoReturn:
    """Raise one error that lists the mistakes."""
    errors = list(mistakes.values())
    if len(errors) == 1:
        raise errors[0]
    combined = all(isinstance(error, CombinationError) for error in errors)
    kind = CombinationError if combined else HarnessError
    raise kind(f"{len(errors)} mistakes in the configuration: {'; '.join(mistakes)}")
