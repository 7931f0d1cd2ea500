"""The configuration of a command: the files of ``conf/`` and the overrides that were typed."""

from __future__ import annotations

import copy
import os
import subprocess
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.concepts import PACKAGE
from harness.core.configuration import extensions
from harness.core.configuration.choices import concepts, names
from harness.core.configuration.extras import pip_install
from harness.core.configuration.grammar import parse
from harness.core.configuration.overrides import Composition, Override, axis, prepare
from harness.core.errors import HarnessError, causes_of, closest, in_words, nearest
from harness.core.input import value_at

if TYPE_CHECKING:
    from omegaconf import DictConfig


def compose(primary: str = "config", overrides: Sequence[str] = ()) -> DictConfig:
    """Return the configuration of ``conf/<primary>.yaml`` with overrides.

    Raises:
        HarnessError: an override has a mistake, or a file of conf/ cannot be read.
    """
    return build(prepare(primary, overrides))


def build(prepared: Composition) -> DictConfig:
    """Return the configuration of prepared files and overrides."""
    from omegaconf import OmegaConf

    tree = copy.deepcopy(prepared.tree)
    for one in prepared.overrides:
        if not one.chooses(prepared.groups):
            if one.place[0] != "hydra":
                _apply(tree, one, prepared.overrides)
        elif one.value is not None and one.values != [one.value]:
            raise HarnessError(f"{one}: several values; give one, or with -m a job for each")
    config = OmegaConf.create(tree)
    OmegaConf.set_struct(config, True)
    _check_paths(config)
    return config


def _apply(tree: dict[str, Any], one: Override, given: Sequence[Override]) -> None:
    """Set or delete the key of an override in the keys of a command.

    A mapping typed for a field of a strategy (``fuser.weights``), or for all lists, replaces the
    whole value. Lists that are typed by their strategy (``+retriever@lists.mine=bm25``) stay. Other
    mappings are merged.
    """
    if one.value is None and "~" not in one.sign:
        raise _lone(tree, one.key)
    holder, last = _place(tree, one)
    if "~" in one.sign:
        del holder[last]
        return
    there = _referred(tree, holder.get(last))
    alone = isinstance(there, (str, float)) or (one.key == "run" and "metrics" in tree)
    value = parse(one.key, one.value or "", alone)
    _check_kind(tree, one, value, there)
    both = isinstance(value, dict) and isinstance(there, dict)
    if both and one.key == "lists":
        beside = {other.key.partition("@lists.")[2] for other in given} & {*there}
        value = {**{name: there[name] for name in beside}, **value}
    elif both and "_target_" not in holder:
        value = _merged(tree, one.key, there, value, "+" in one.sign)
    holder[last] = value


def _place(tree: dict[str, Any], one: Override) -> tuple[dict[str, Any], str]:
    """Return the section of an override's key, and the last word of the key."""
    *sections, last = one.key.split(".")
    adds, typed = "+" in one.sign, one.value or ""
    holder: Any = tree
    for depth, section in enumerate(sections, 1):
        if adds and isinstance(holder, dict) and holder.get(section) is None:
            holder[section] = {}
        if not isinstance(holder, dict) or section not in holder:
            raise _no_key(tree, ".".join(sections[:depth]), holder, typed)
        holder = _referred(tree, holder[section])
    if not isinstance(holder, dict) or (last not in holder and not adds):
        raise _no_key(tree, one.key, holder, typed)
    return holder, last


def _check_kind(tree: Mapping[str, Any], one: Override, value: Any, there: Any) -> None:
    """Raise HarnessError for a list in place of a number of a sweep, or of a mapping, or for a
    mapping in place of a list.
    """
    if isinstance(value, list) and isinstance(there, (int, float)) and "grid" in tree:
        raise HarnessError(f"{one.key}={one.value}: {axis(one)}")
    if {type(value), type(there)} == {dict, list}:
        is_list = isinstance(there, list)
        expected = "a list, as in [a,b]" if is_list else "a mapping, as in {name: value}"
        raise HarnessError(f"{one.key}={one.value}: expected {expected}")


def _referred(tree: Mapping[str, Any], node: Any) -> Any:
    """Return the value that a reference such as ``${graph}`` stands for; other values unchanged."""
    if isinstance(node, str) and (named := extensions.REFERENCE.fullmatch(node)):
        return value_at(tree, named[1].split("."))
    return node


def _merged(
    tree: Mapping[str, Any], key: str, there: Mapping[str, Any], value: Any, adds: bool
) -> dict[str, Any]:
    """Return a section with the values of a mapping that was typed for it."""
    found = dict(there)
    for name, own in value.items():
        if name not in there and not adds:
            raise _no_key(tree, f"{key}.{name}", there)
        inner = _referred(tree, there.get(name))
        both = isinstance(own, dict) and isinstance(inner, dict)
        found[name] = _merged(tree, f"{key}.{name}", inner, own, adds) if both else own
    return found


def _lone(tree: Mapping[str, Any], word: str) -> HarnessError:
    """Return the error about a word without a value, which names the key that has it."""
    meant = [f"write {key}={word}" for key in concepts() if key in tree and word in names(key)]
    if isinstance(tree.get(word), bool):
        meant = [f"write {word}=true"]
    return HarnessError(f"{word}: expected key=value; {[*meant, '`--help` has the keys'][0]}")


def _no_key(tree: Mapping[str, Any], key: str, holder: Any, value: str = "") -> HarnessError:
    """Return the error about a key that a section lacks, with the nearest one that it has."""
    section, _, last = key.rpartition(".")
    if holder is tree:
        mend = "see `--cfg job` for all keys"
        return HarnessError(f"{key} is no key of this command{nearest(key, tree)}; {mend}")
    if isinstance(holder, list):
        return HarnessError(
            f"{key}={value}: {section} is a list, which has no names; an axis of a grid is typed "
            "in its block, as in 'grid.values={fuser.alpha: [0.5, 0.7]}'"
        )
    if holder is None:
        return HarnessError(f"{section} has no names; write '{section}={{{last}: {value}}}'")
    own = [name for name in holder if name != "_target_"] if isinstance(holder, dict) else []
    near = closest(last, own)
    hint = f" (did you mean {section}.{near}?)" if near else ""
    mend = f"it has {', '.join(own)}" if own else "leave it out"
    return HarnessError(f"{section} has no {last}{hint}; {mend}")


def _check_paths(config: DictConfig) -> None:
    """Raise HarnessError for a file name that is no text, an empty path, and a file in place of a
    folder.

    Results of an empty path would go into the working folder. Paths that neither the command line
    nor the environment sets have the values of conf/ and are not checked.
    """
    from omegaconf import OmegaConf

    plain: Any = OmegaConf.to_container(config, resolve=False)
    files = {key: plain.get(key) for key in ("out", "figure")}
    files |= {f"paths.{name}": own for name, own in (plain.get("paths") or {}).items()}
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


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate errors of Hydra and OmegaConf in a block to a HarnessError of one line each."""
    from omegaconf.errors import OmegaConfBaseException

    try:
        yield
    except Exception as error:
        by_hydra = type(error).__module__ == "hydra.errors"
        if not by_hydra and not isinstance(error, OmegaConfBaseException):
            raise
        text = str(error).strip()
        mends = {
            "Interpolation key": r"; if the text ${...} is meant, write \${...}",
            "is not in struct": "; the command needs this key, so that ~ cannot leave it out",
            "hydra/launcher": f"; launchers come with extras: {pip_install('joblib,slurm')}",
        }
        mend = next((mend for part, mend in mends.items() if part in text), "")
        raise HarnessError(f"configuration: {text.partition(chr(10))[0]}{mend}") from error


@contextmanager
def report_own_code() -> Iterator[None]:
    """Turn an error of a user's own strategy within a block into one HarnessError with its line."""
    try:
        yield
    except HarnessError:
        raise
    except Exception as error:
        *_, cause = causes_of(error)
        own = extensions.packages()
        is_library = isinstance(cause, ModuleNotFoundError)  # an extra brings it
        changed = set() if is_library else _changed_files()
        places = [
            f"{frame.f_code.co_filename}:{line}"
            for frame, line in traceback.walk_tb(cause.__traceback__)
            if str(frame.f_globals.get("__name__")).partition(".")[0] in own
            or frame.f_code.co_filename in changed
        ]
        if not places:
            raise  # ours: a bug, with its traceback
        raise HarnessError(f"{in_words(cause)} ({places[-1]}); correct that module") from error


def _changed_files() -> set[str]:
    """Return the new and changed files of this package in a checkout: a user's own classes."""
    changed = ""
    if (PACKAGE.parent / ".git").exists():
        git = ["git", "status", "--porcelain", "--untracked-files=all", "--", PACKAGE.name]
        with suppress(OSError):
            changed = subprocess.run(git, cwd=PACKAGE.parent, capture_output=True, text=True).stdout
    return {str(PACKAGE.parent / line[3:]) for line in changed.splitlines()}
