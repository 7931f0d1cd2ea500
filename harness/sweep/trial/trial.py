"""A trial: one configuration of fusion and reranking, and its identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from harness.core.arrays import Int32Array
from harness.core.configuration.conf_files import defaults
from harness.core.configuration.overrides import STRATEGIES
from harness.core.errors import HarnessError, is_number, one_of
from harness.core.identity import digest, file_sha256, identity, record, varied_keys
from harness.fusion.context import default_anchor
from harness.fusion.contract import MEMBERS, check_members
from harness.fusion.fuser import Calibrated, Fuser, fused_scores
from harness.fusion.learning import learned_fields, must_learn
from harness.fusion.normalizer import Normalizer
from harness.fusion.pool import Pool, PoolSpec
from harness.fusion.reranker import Reranker, reranked
from harness.fusion.temperature import Temperature
from harness.sweep.folder.list_scores import Setting, Settings

if TYPE_CHECKING:
    from torch import Tensor

RERANKER_INPUTS = ("seeds", "relations")
"""The parts of a configuration that only some rerankers read, if it is in their ``reads``."""


Identities = Mapping[str, Mapping[str, object]]
"""The identity of each list by name (see ``harness.core.identity.identity``)."""


def reference_of(reference: str | None, names: Sequence[str]) -> str:
    """Return the list against which wins are counted: the given one, otherwise
    dense, or the first.
    """
    if reference is not None:
        one_of("reference", reference, names)
    return reference or default_anchor(names)


def other_anchor(reference: str, lists: Sequence[str]) -> str | None:
    """Return the reference if the pool has it and alpha would be the share of another list, or
    None.
    """
    return reference if reference in lists and reference != default_anchor(lists) else None


@dataclass(frozen=True)
class Trial:
    """One configuration, ready to score.

    Attributes:
        settings: the flat, typed knobs that the result depends on, e.g. ``{"fuser": "rrf",
            "fuser.k": 60}``.
        overrides: Hydra overrides that rerun this trial alone.
        beside: the identity of the reranker's further inputs, by the key of the configuration (see
            ``RERANKER_INPUTS``).
    """

    pool: PoolSpec
    fuser: Fuser
    normalizer: Normalizer
    temperature: Temperature
    reranker: Reranker
    settings: Settings
    overrides: tuple[str, ...]
    beside: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for concept in MEMBERS:
            check_members(concept, getattr(self, concept))

    @property
    def family(self) -> str:
        """The fuser's name: ``single``, ``rrf``, ``boltzmann``, ...; ``reranked`` for one reranked
        list.
        """
        fuser = str(self.settings["fuser"])
        return "reranked" if fuser == "single" and self.settings["reranker"] != "none" else fuser

    @property
    def reads_values(self) -> bool:
        """Whether the normalizer matters."""
        return bool({"values", "probabilities"} & self.fuser.reads)

    @property
    def reads_probabilities(self) -> bool:
        """Whether the temperature matters."""
        return "probabilities" in self.fuser.reads

    @property
    def learns(self) -> bool:
        """Whether it must be fitted to judged questions before it can score."""
        return must_learn(self.fuser) or must_learn(self.reranker)

    def fit(self, pool: Pool, gold: Int32Array) -> Trial:
        """Return the trial with what it learns from these questions; gold: int32[Q, H], padded with
        -1.
        """
        calibrated = Calibrated(pool, self.normalizer, self.temperature)
        fuser: Any = self.fuser
        if must_learn(fuser):
            fuser = fuser.fit(calibrated, gold)
        reranker: Any = self.reranker
        if must_learn(reranker):
            reranker = reranker.fit(fused_scores(fuser, calibrated), calibrated, gold)
        return replace(self, fuser=fuser, reranker=reranker)

    def fused(self, pool: Pool) -> Tensor:
        """Return float64[Q, U], the scores of the pool's documents, fused and reranked."""
        calibrated = Calibrated(pool, self.normalizer, self.temperature)
        return reranked(self.reranker, fused_scores(self.fuser, calibrated), calibrated)

    @property
    def learned(self) -> dict[str, object]:
        """Return what it has learned by knob, e.g. ``fuser.coefficients``."""
        groups = {"fuser": self.fuser, "reranker": self.reranker}
        return {
            f"{group}.{name}": value
            for group, strategy in groups.items()
            for name, value in learned_fields(strategy).items()
        }

    def with_learned(self, knobs: Mapping[str, object]) -> Trial:
        """Return the trial with what was ``learned`` before."""
        fields: dict[str, dict[str, object]] = {}
        for knob, value in knobs.items():
            if knob not in self.learned:
                raise HarnessError(
                    f"learned.{knob}: nothing of {self.name} is learned by that name; sweep again"
                )
            group, _, name = knob.partition(".")
            fields.setdefault(group, {})[name] = value
        return replace(
            self,
            **{group: replace(getattr(self, group), **values) for group, values in fields.items()},
        )

    @cached_property
    def identity(self) -> dict[str, object]:
        """What this trial computes: its strategies with their fields, without those that its fuser
        ignores.
        """
        content: dict[str, object] = {
            "lists": list(self.pool.lists),
            "cap": self.pool.effective_cap,
            "capped": sorted(self.pool.cut_lists) if self.pool.effective_cap else [],
            "fuser": identity(self.fuser),
            "normalizer": identity(self.normalizer) if self.reads_values else None,
            "temperature": identity(self.temperature) if self.reads_probabilities else None,
            "reranker": identity(self.reranker),
        }
        if self.pool.importance:
            content["importance"] = file_sha256(Path(self.pool.importance))
        if self.pool.reference:
            content["reference"] = self.pool.reference
        return {**content, **self.beside}

    def sha256(self, data: str, lists: Identities) -> str:
        """Return the trial's hash, 16 hex digits, given the data's SHA-256 and the lists'
        identities.
        """
        used = {name: lists[name] for name in self.pool.lists}
        return digest({"trial": self.identity, "data": data, "lists": used})[:16]

    @property
    def name(self) -> str:
        """A name for people, e.g. ``boltzmann alpha=0.7 beta=0.5 pit auto cap=20``, or that of a
        list. Names of several trials are those of ``trial_names``.
        """
        alone = self.settings["fuser"] == "single"
        if self.family == "single":
            return " ".join([str(self.settings["fuser.list"]), *self.pool.words])
        words = [str(self.settings["fuser.list"]) if alone else self.family]
        for group in STRATEGIES[1:]:
            if group in self.settings and self.settings[group] != "none":
                words.append(str(self.settings[group]))
            words.extend(self._knobs(group))
        words.extend(self.pool.words)
        if alone:
            return " ".join(words)
        words[1:1] = self._knobs("fuser")
        return " ".join(words)

    def _knobs(self, group: str) -> list[str]:
        """Return the knobs of a group: numbers always, words and mappings unless they are the
        default, the minima of lists never.
        """
        knobs = {
            key.removeprefix(f"{group}."): value
            for key, value in self.settings.items()
            if key.startswith(f"{group}.")
        }
        usual = defaults(group, str(self.settings[group])) if knobs else {}
        return [
            f"{key}={_short(value)}"
            for key, value in knobs.items()
            if is_number(value) or (value not in (None, usual[key]) and key != "minimum")
        ]


def trial_names(trials: Mapping[str, Trial]) -> dict[str, str]:
    """Return a name for each trial by hash, no two of which are equal.

    If the trials fuse different lists, each name ends with its lists. Trials with equal names also
    have the settings in which they differ, e.g. ``capped=graph``, and their hash if there is none.
    """
    alike: dict[str, list[str]] = {}
    pools = {trial.pool.lists for trial in trials.values() if len(trial.pool.lists) > 1}
    for key, trial in trials.items():
        name = trial.name
        if len(pools) > 1 and trial.pool.lists in pools:
            name += f" {'+'.join(trial.pool.lists)}"
        alike.setdefault(name, []).append(key)
    names = {}
    for name, keys in alike.items():
        varied = varied_keys([trials[key].settings for key in keys])
        for key in keys:
            settings = trials[key].settings
            words = [f"{knob.rpartition('.')[2]}={_short(settings.get(knob))}" for knob in varied]
            names[key] = " ".join([name, *words])
    counts = Counter(names.values())
    return {key: f"{name} {key[:6]}" if counts[name] > 1 else name for key, name in names.items()}


def read_by(trials: Iterable[Trial]) -> dict[str, object]:
    """Return the further inputs of trials, hashes of files and identities, to find what has
    changed.
    """
    inputs: dict[str, object] = {}
    for trial in trials:
        inputs |= trial.beside
        if path := trial.pool.importance:
            inputs[f"pool.importance={path}"] = file_sha256(Path(path))
    return cast("dict[str, object]", record(inputs))


def _short(value: Setting) -> str:
    if isinstance(value, Mapping):
        return ":".join(f"{item:g}" if is_number(item) else _short(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return "+".join(map(str, value))
    if value is None:
        return "null"
    return f"{value:g}" if isinstance(value, float) else str(value)
