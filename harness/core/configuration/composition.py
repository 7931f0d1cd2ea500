"""The configuration of a command: what Hydra composes of conf/ and the overrides that were typed.

Before Hydra composes, the overrides are checked: a key must be one of the command's, and a name one
of conf/. Errors of Hydra are translated to one line.
"""

from __future__ import annotations

import copy
import functools
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.core.concepts import package_folder
from harness.core.configuration import extensions
from harness.core.configuration.conf_files import (
    concepts,
    conf_file,
    names,
    unknown,
)
from harness.core.configuration.keys import Keys
from harness.core.configuration.overrides import (
    Override,
    axis,
    check_brackets,
    check_twice,
    fit,
    for_hydra,
    several,
    unreadable,
    written_out,
)
from harness.core.configuration.stored_strategy import leaves
from harness.core.configuration.translation import translate_errors
from harness.core.configuration.yaml_files import read_conf
from harness.core.errors import HarnessError

if TYPE_CHECKING:
    from omegaconf import DictConfig

OWN_RUNS = "own_runs"
"""The dataset of a sweep whose gold is given."""


class Prepared(NamedTuple):
    """Checked overrides.

    Attributes:
        typed: the overrides in the form of their defaults.
        for_hydra: the overrides that Hydra composes from.
        keys: the keys of the command.
    """

    typed: list[Override]
    for_hydra: list[str]
    keys: Keys


def compose(primary: str = "config", overrides: Sequence[str] = ()) -> DictConfig:
    """Return the configuration of ``conf/<primary>.yaml`` with overrides.

    Raises:
        HarnessError: an override has a mistake, or a file of conf/ cannot be read.
    """
    return build(primary, prepare(primary, overrides))


def build(primary: str, prepared: Prepared) -> DictConfig:
    """Return the configuration of a command with checked overrides."""
    for override in prepared.typed:
        if override.is_several and override.place[0] != "hydra":
            raise several(override, prepared.keys.tree)
    from omegaconf import open_dict

    config = _compose(primary, prepared)
    _resolve_hydra(config)
    with open_dict(config):
        del config["hydra"]
    _check_paths(config)
    return config


def prepare(primary: str, overrides: Sequence[str]) -> Prepared:
    """Return the overrides in the form of their defaults, and as Hydra takes them.

    Args:
        primary: the name of the command's file in conf/.
        overrides: the overrides as typed. If one has several values, the first one decides.

    Raises:
        HarnessError: a key that the command does not read, an unknown name, or a value of another
            type than its default.
    """
    parsed = [Override.read(text) for text in overrides]
    if not any(override.key == "hydra/sweeper" for override in parsed):  # others draw from a range
        parsed = [written_out(override) for override in parsed]
    keys = _read(primary, [])
    if "gold" in keys.tree and "dataset" in keys.groups:
        parsed += _own_runs(parsed)
    choices = _chosen_files(primary, parsed, keys)
    keys = _read(primary, choices) if choices else keys
    added = _inputs(parsed, keys)
    if added:
        choices += added
        keys = _read(primary, choices)
    parsed = _renamed(parsed, keys)
    _check_keys(parsed, keys, choices)
    if (experiment := keys.groups.get("experiment")) is not None:
        _check_experiment(primary, choices, experiment)
    typed = [
        override if override.chooses(keys.groups) else fit(override, keys.tree)
        for override in parsed
    ]
    choice_by_key = {choice.partition("=")[0].lstrip("+"): choice for choice in choices}
    typed = [_as_chosen(override, choice_by_key) for override in typed]
    passed = [
        *for_hydra(typed, keys.tree),
        *(choice for choice in added if choice not in overrides),
    ]
    return Prepared(typed, passed, keys)


def _chosen_files(primary: str, overrides: Sequence[Override], keys: Keys) -> list[str]:
    """Return the overrides that choose files, as Hydra takes them.

    A group of a file that another override adds with ``+`` is known once that one is read.
    """
    choices = _choices(overrides, keys.groups)
    nested = {f"+{override.key}" for override in overrides if "+" not in override.sign}
    outer = [choice for choice in choices if choice.partition("=")[0] not in nested]
    if len(outer) == len(choices):
        return choices
    inner = _read(primary, outer).groups
    known = {key: name for key, name in inner.items() if f"+{key}" in nested}
    return _choices(overrides, {**known, **keys.groups})


def _renamed(overrides: Sequence[Override], keys: Keys) -> list[Override]:
    """Return the overrides with the command's own names of keys; none may then be typed twice."""
    renamed = [keys.renamed(override) for override in overrides]
    new = {
        after.key
        for after, before in zip(renamed, overrides, strict=True)
        if after.key != before.key
    }
    check_twice([override for override in renamed if override.key in new])
    return renamed


def _check_keys(overrides: Sequence[Override], keys: Keys, choices: Sequence[str]) -> None:
    """Raise HarnessError for a word without a value, a bracket that is open, or an unread key."""
    for override in overrides:
        if override.value is None and "~" not in override.sign:
            raise _lone(keys.tree, override.key)
        check_brackets(override)
    removals = [override for override in overrides if "~" in override.sign]
    removed_choices = {*map(str, removals)} & {*choices}
    checked = [override for override in overrides if str(override) not in removed_choices]
    keys.check(checked, {override.place[0] for override in removals})


def _as_chosen(override: Override, choice_by_key: Mapping[str, str]) -> Override:
    """Return the override of a choice with the sign that Hydra needs."""
    choice = choice_by_key.get(override.key)
    if choice is None or "~" in override.sign:
        return override
    return override._replace(sign=_sign(choice))


def _sign(choice: str) -> str:
    return "+" if choice.startswith("+") else ""


def _read(primary: str, choices: Sequence[str]) -> Keys:
    """Return the keys of a command with chosen files."""
    from omegaconf import OmegaConf

    config = _load(primary, choices)
    groups = {
        str(group): name
        for group, name in config.hydra.runtime.choices.items()
        if not group.startswith("hydra/") and group != "added"
    }
    tree: Any = OmegaConf.to_container(config, resolve=False)
    del tree["hydra"]
    return Keys(tree, groups)


def _compose(primary: str, prepared: Prepared) -> DictConfig:
    """Return a configuration of chosen files and set values, with Hydra's keys under ``hydra``.

    Hydra, too, sets the values after it has merged the files. Files that an earlier command of this
    process chose, or the check of the keys, are not read and merged again.
    """
    from hydra._internal.config_loader_impl import ConfigLoaderImpl
    from hydra.core.override_parser.overrides_parser import OverridesParser

    read = [(Override.read(text), text) for text in prepared.for_hydra]
    groups = prepared.keys.groups
    files = [
        text
        for override, text in read
        if override.chooses(groups) or override.key.startswith("hydra/")
    ]
    config = copy.deepcopy(_load(primary, files))
    with translate_errors():
        values = [text for text in prepared.for_hydra if text not in files]
        parsed = OverridesParser.create().parse_overrides(values)
        ConfigLoaderImpl._apply_overrides_to_config(parsed, config)
    return config


def _load(primary: str, overrides: Sequence[str]) -> DictConfig:
    """Return the configuration that Hydra composes, with its own keys under ``hydra``.

    It is shared: copy it before changing it.
    """
    folders = extensions.folders()
    files = [path for folder in folders for path in folder.glob("**/*.yaml")]
    stamp = (*((path, path.stat().st_mtime_ns) for path in files),)
    return _composed(primary, (*overrides,), stamp)


@functools.lru_cache(32)
def _composed(primary: str, overrides: tuple[str, ...], stamp: tuple[object, ...]) -> DictConfig:
    import hydra
    from hydra.core.global_hydra import GlobalHydra

    extensions.extend_hydra()
    folder = str(package_folder("conf").resolve())
    running = GlobalHydra.instance().hydra  # of a job that Hydra started
    GlobalHydra.instance().clear()
    try:
        with translate_errors(), hydra.initialize_config_dir(folder, version_base="1.3"):
            return hydra.compose(primary, [*overrides], return_hydra_config=True)
    finally:
        GlobalHydra.instance().hydra = running


def _resolve_hydra(config: DictConfig) -> None:
    """Replace references to Hydra's own configuration (``${hydra:runtime.choices.fuser}``) by their
    values, since a stored configuration has none.
    """
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    plain: Any = OmegaConf.to_container(config, resolve=False)
    del plain["hydra"]
    keys = [".".join(path) for path, value in leaves(plain) if "${hydra:" in str(value)]
    if not keys:
        return
    instance = HydraConfig.instance()
    before = instance.cfg
    config.hydra.runtime.cwd = os.getcwd()
    instance.set_config(config)
    try:
        for key in keys:
            OmegaConf.update(config, key, OmegaConf.select(config, key), force_add=True)
    finally:
        instance.cfg = before


def _own_runs(overrides: Sequence[Override]) -> list[Override]:
    """Return the choice of the dataset for a sweep whose gold is typed, and no dataset."""
    keys = {override.key for override in overrides if override.value not in ("", "null")}
    return [Override("", "dataset", OWN_RUNS)] if keys & {"gold", "dataset"} == {"gold"} else []


def _choices(overrides: Sequence[Override], groups: Mapping[str, str | None]) -> list[str]:
    """Return the overrides that choose files, with their first value.

    Raises HarnessError for an unknown name.
    """
    choices = []
    for override in overrides:
        if not override.chooses(groups):
            continue
        if "~" in override.sign:
            choices.append(str(override))
            continue
        known = names(override.key.partition("@")[0])
        may_be_null = override.key in groups and groups[override.key] is None
        wrong = [
            value
            for value in override.values
            if value not in known and not (value == "null" and may_be_null)
        ]
        if wrong:
            raise _no_name(override, wrong[0], known, groups)
        sign = "" if override.key in groups else "+"
        choices.append(f"{sign}{override.key}={next(iter(override.values), known[0])}")
    return choices


def _no_name(
    override: Override, wrong: str, known: Sequence[str], groups: Mapping[str, str | None]
) -> HarnessError:
    """Return the error about a name that is not known, or about several in brackets."""
    if not wrong.startswith("["):
        return unknown(override.key, wrong, known)
    if not wrong.endswith("]"):
        return unreadable(override.key, wrong)
    if "grid" in groups:
        return axis(override)
    if "," in wrong:
        return several(override._replace(value=wrong[1:-1]), {})
    return unknown(override.key, wrong, known)


def _inputs(overrides: Sequence[Override], keys: Keys) -> list[str]:
    """Return the entries that plug-ins add for the rerankers that overrides or files name."""
    if "reranker" not in keys.groups or "grid" not in keys.groups:
        return []
    values = [override.value for override in overrides]
    text = repr([*values, keys.tree.get("grid"), keys.tree["reranker"]])
    text += repr(keys.groups["reranker"])
    typed = {override.key for override in overrides}
    inputs = []
    for entry, readers in extensions.inputs().items():
        group = entry.partition("=")[0]
        place = group.partition("@")[2] or group
        match = re.search(rf"\b({'|'.join(readers)})\b", text)
        if match and group not in typed and place not in keys.tree:
            inputs.append(f"+{entry}")
    return inputs


def _check_experiment(primary: str, choices: Sequence[str], name: str) -> None:
    """Check the keys of a chosen experiment as typed ones are, against those of the command with
    the files that it chooses.
    """
    from hydra.core.config_store import ConfigStore

    path = conf_file("experiment", name)
    chosen = {"defaults": read_conf(path).get("defaults", [])}
    alone = f"{name}_choices"
    ConfigStore.instance().store(alone, chosen, group="experiment", package="_global_")
    others = [choice for choice in choices if Override.read(choice).key != "experiment"]
    _read(primary, [*others, f"experiment={alone}"]).check_file(path)


def _lone(tree: Mapping[str, Any], word: str) -> HarnessError:
    """Return the error about a word without a value, which names the key that has it."""
    mends = [f"write {key}={word}" for key in concepts() if key in tree and word in names(key)]
    if isinstance(tree.get(word), bool):
        mends = [f"write {word}=true"]
    return HarnessError(f"{word}: expected key=value; {[*mends, '`--help` has the keys'][0]}")


def _check_paths(config: DictConfig) -> None:
    """Raise HarnessError for a file name that is no text, an empty path, and a file in place of a
    folder.

    Results of an empty path would go into the working folder. Paths that neither the command line
    nor the environment sets have the values of conf/ and are not checked.
    """
    from omegaconf import OmegaConf

    plain: Any = OmegaConf.to_container(config, resolve=False)
    files = {key: plain.get(key) for key in ("out", "figure")}
    files |= {f"paths.{name}": folder for name, folder in (plain.get("paths") or {}).items()}
    for key, raw in files.items():
        variable = f"HARNESS_{key.removeprefix('paths.').upper()}"
        if str(raw).startswith("${oc.env:") and variable not in os.environ:
            continue
        value = OmegaConf.select(config, key)
        if not isinstance(value, str | None):
            mend = f"a name like that needs quotes, {key}='\"...\"'"
            raise HarnessError(f"{key}={value}: expected the name of a file; {mend}")
        if key in ("paths.runs", "paths.data") and Path(value or "").is_file():
            raise HarnessError(f"{key}={value}: this is a file; name a folder")
        if key not in ("out", "figure", "paths.shared") and not (value or "").strip():
            raise HarnessError(f"{key} ({variable}) is empty; name a place, or unset the variable")
