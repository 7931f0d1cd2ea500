"""Runs as a command names them: a path, a pattern, several of one system, or ``{file: ..., columns: {...}}``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.core.errors import HarnessError, keys_of
from harness.run.frame import TYPED

EXPECTED = (
    "a path, a list of paths, {name: path} or {name: [path, ...]}; a path may be {file: path, columns: {doc: pid}}"
)


@dataclass(frozen=True)
class Files:
    """The files of one system, several are repeats, and what their columns are called where that was said of them."""

    paths: tuple[str, ...]
    columns: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return ", ".join(map(self.label, self.paths))

    def label(self, path: str) -> str:
        """What one of them is called: two systems may be columns of one file."""
        said = ", ".join(f"{name}: {column}" for name, column in (self.columns or {}).items())
        return f"{path} ({said})" if said else path


def systems(key: str, given: object) -> dict[str, Files]:
    """The files of each system by its name; one without a name has that of its file or pattern.

    key: as it is typed, ``run``. Raises HarnessError where it is something else, or a file stands there twice.
    """
    if isinstance(given, Mapping) and not _is_entry(given):
        found = {str(name): read(f"{key}.{name}", own) for name, own in given.items()}
    else:
        each = given if isinstance(given, list) else [given]
        found = {_name(key, one): read(key, one) for one in each}
        if len(found) < len(each):
            raise HarnessError(f"{key}={given}: a file stands there twice; give each once, or name them")
    if not found:
        raise _unexpected(key, given)
    return found


def read(key: str, given: object) -> Files:
    """The files of one system.    key, given: as they are typed, ``run.ours`` and its value."""
    columns = None
    own = given
    if isinstance(given, Mapping):
        keys_of(key, given, ("file", "columns"))
        own, columns = given.get("file"), given.get("columns")
        keys_of(f"{key}.columns", columns, TYPED)
    paths = [path for path in (own if isinstance(own, list) else [own]) if isinstance(path, str)]
    if not paths or (isinstance(own, list) and len(paths) < len(own)):
        raise _unexpected(key, given)
    return Files(_matching(paths), columns)


def _is_entry(given: Mapping[object, object]) -> bool:
    return given.keys() == {"file", "columns"} and isinstance(given["columns"], Mapping)


def _name(key: str, one: object) -> str:
    name = one.get("file") if isinstance(one, Mapping) else one
    if not isinstance(name, str):
        raise _unexpected(key, one)
    return name


def _unexpected(key: str, given: object) -> HarnessError:
    return HarnessError(f"{key}={given}: expected {EXPECTED}")


def _matching(paths: Sequence[str]) -> tuple[str, ...]:
    """The files of a system; a path that is no file but a pattern (``mine.*.trec``) stands for those that match."""
    from glob import glob, has_magic

    found: dict[str, None] = {}
    for path in paths:
        matching = [path] if not has_magic(path) or Path(path).exists() else sorted(glob(path, recursive=True))
        if not matching:
            raise HarnessError(f"{path}: no file matches the pattern")
        found.update(dict.fromkeys(matching))
    return tuple(found)
