"""The configuration of a command: the files of ``conf/`` and the overrides that were typed."""

from __future__ import annotations

import os
import subprocess
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.core.concepts import PACKAGE
from harness.core.configuration import extensions
from harness.core.configuration.choices import concepts, names, unknown
from harness.core.configuration.grammar import parse
from harness.core.configuration.overrides import Composition, Override, axis, prepare
from harness.core.errors import HarnessError, causes_of, closest, in_words, nearest

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

    config = OmegaConf.create(prepared.tree)
    OmegaConf.set_struct(config, True)
    for one in prepared.overrides:
        if not one.chooses(prepared.groups):
            if one.head != "hydra":
                _apply(config, one, prepared.overrides)
        elif one.value is not None and one.values != [one.value]:
            raise HarnessError(f"{one}: several values; give one, or with -m a job for each")
    _check_paths(config)
    return config


def _delete(config: DictConfig, holder: Any, key: str) -> None:
    """Delete a key from the section that has it. Raise HarnessError if there is none."""
    from omegaconf import OmegaConf, open_dict

    last = key.rpartition(".")[2]
    if not OmegaConf.is_dict(holder) or last not in holder:
        raise _no_key(config, key)
    with open_dict(config):
        del holder[last]


def _apply(config: DictConfig, one: Override, given: Sequence[Override]) -> None:
    """Set or delete the key of an override.

    A mapping typed for a field of a strategy (``fuser.weights``), or for all lists, replaces the
    whole value. Lists that are typed by their strategy (``+retriever@lists.mine=bm25``) stay. Other
    mappings are merged.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    section, _, last = one.key.rpartition(".")
    holder = OmegaConf.select(config, section) if section else config
    if "~" in one.sign:
        _delete(config, holder, one.key)
        return
    if one.value is None:
        raise _lone(config, one.key)
    there = holder.get(last) if OmegaConf.is_dict(holder) else None
    value = _parsed(config, one, there)
    of_strategy = one.key == "lists" or (OmegaConf.is_dict(holder) and "_target_" in holder)
    replaced = isinstance(value, dict) and of_strategy
    if replaced:
        beside = {other.key.partition(f"@{one.key}.")[2] for other in given} - {""}
        kept = {name: OmegaConf.select(config, f"{one.key}.{name}") for name in beside}
        value = {**{name: node for name, node in kept.items() if node is not None}, **value}
    try:
        OmegaConf.update(config, one.key, value, merge=not replaced, force_add="+" in one.sign)
    except (OmegaConfBaseException, ValueError, TypeError) as error:
        raise _misfit(config, holder, one, value, error) from error


def _parsed(config: DictConfig, one: Override, there: object) -> Any:
    """Return the value of an override whose key has the value ``there``."""
    assert one.value is not None
    alone = isinstance(there, (str, float)) or (one.key == "run" and "metrics" in config)
    value = parse(one.key, one.value, alone)
    if isinstance(value, list) and isinstance(there, (int, float)) and "grid" in config:
        raise HarnessError(f"{one.key}={one.value}: {axis(one)}")
    return value


def _misfit(
    config: DictConfig, holder: Any, one: Override, value: object, error: Exception
) -> HarnessError:
    """Return the error about a value that does not fit in the place of its key."""
    from omegaconf import OmegaConf
    from omegaconf.errors import ConfigAttributeError, ConfigKeyError

    section, _, last = one.key.rpartition(".")
    if isinstance(error, (ConfigAttributeError, ConfigKeyError)):
        no_fields = OmegaConf.is_dict(holder) and not {*holder} - {"_target_"}
        if isinstance(holder, str) or no_fields:
            return HarnessError(f"{section} has no {last}; leave it out")
        return _no_key(config, one.key, value)
    if isinstance(error, ValueError):  # of int(): a name below a list
        return HarnessError(
            f"a key ends with .{last} below a list, which has no names; an axis of a grid has a "
            "dot in its name and is "
            "typed in its block, as in 'grid.values={fuser.alpha: [0.5, 0.7]}'"
        )
    is_list = OmegaConf.is_list(OmegaConf.select(config, one.key))
    expected = "a list, as in [a,b]" if is_list else "a mapping, as in {name: value}"
    return HarnessError(f"{str(one).lstrip('+')}: expected {expected}")


def _lone(config: DictConfig, word: str) -> HarnessError:
    """Return the error about a word without a value, which names the key that has it."""
    from omegaconf import OmegaConf

    named = [str(key) for key in config if key in concepts() and word in names(str(key))]
    truth = isinstance(OmegaConf.select(config, word), bool)
    mend = f"write {word}=true" if truth else "`--help` has the keys"
    mend = f"write {named[0]}={word}" if named else mend
    return HarnessError(f"{word}: expected key=value; {mend}")


def _no_key(config: DictConfig, key: str, value: object = None) -> HarnessError:
    """Return the error about a key that the configuration lacks, or about one of a mapping for it.

    The error suggests a key with similar letters, or the same key below another concept.
    """
    from omegaconf import OmegaConf

    there = OmegaConf.select(config, key)
    if isinstance(value, dict) and OmegaConf.is_dict(there):
        key = f"{key}.{next(name for name in value if name not in there)}"
    section, _, last = key.rpartition(".")
    holder = OmegaConf.select(config, section) if section else config
    plain: Any = OmegaConf.to_container(config)
    known = sorted(_keys(plain))
    inner = holder if section in known and OmegaConf.is_dict(holder) else {}
    own = [str(name) for name in inner if name != "_target_"]
    if own:
        near = f" (did you mean {section}.{name}?)" if (name := closest(last, own)) else ""
        return HarnessError(f"{section} has no {last}{near}; it has {', '.join(own)}")
    if section in known:
        return HarnessError(f"{section} has no names; write '{section}={{{last}: {value}}}'")
    return HarnessError(
        f"{key} is no key of this command{nearest(key, known)}; see `--cfg job` for all keys"
    )


def _keys(node: Mapping[Any, Any], prefix: str = "") -> Iterator[str]:
    for key, value in node.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _keys(value, f"{prefix}{key}.")


def _check_paths(config: DictConfig) -> None:
    """Raise HarnessError for a file name that is no text, and for an empty path.

    Results of an empty path would go into the working folder. Paths that neither the command line
    nor the environment sets have the values of conf/ and are not checked.
    """
    from omegaconf import OmegaConf

    plain: Any = OmegaConf.to_container(config, resolve=False)
    files = {key: plain.get(key) for key in ("out", "figure")}
    files |= {f"paths.{name}": own for name, own in (plain.get("paths") or {}).items()}
    for key, raw in files.items():
        name = key.removeprefix("paths.")
        variable = f"HARNESS_{name.upper()}"
        if str(raw).startswith("${oc.env:") and variable not in os.environ:
            continue
        value = OmegaConf.select(config, key)
        _check_path(key, value)
        if key not in ("out", "figure", "paths.shared") and not (value or "").strip():
            raise HarnessError(f"{key} ({variable}) is empty; name a place, or unset the variable")


def _check_path(key: str, value: object) -> None:
    """Raise HarnessError for a path that is no text, and for a file in place of a folder."""
    if value is not None and not isinstance(value, str):
        quoted = f"{key}='\"...\"'"
        raise HarnessError(
            f"{key}={value}: expected the name of a file; a name like that needs quotes, {quoted}"
        )
    if key in ("paths.runs", "paths.data") and Path(value or "").is_file():
        raise HarnessError(f"{key}={value}: this is a file; name a folder")


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
        if missing := getattr(error, "missing_cfg_file", None):
            concept, _, name = str(missing).rpartition("/")
            known = [str(one) for one in getattr(error, "options", None) or ()]
            raise unknown(concept or "config", name, known) from error
        lines = [str(each).strip().partition("\n")[0] for each in (error, error.__cause__) if each]
        interpolated = "Interpolation key" in str(error)
        mend = r"; if the text ${...} is meant, write \${...}" if interpolated else ""
        if "is not in struct" in str(error):
            mend = "; the command needs this key, so that ~ cannot leave it out"
        message = "; ".join(dict.fromkeys(filter(None, lines)))
        raise HarnessError(f"configuration: {message}{mend}") from error


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
