"""Systems by name: what ``harness.evaluate``, ``compare`` and ``fuse`` take where there are several
runs.

On the command line they are files: a path, a pattern, several of one system, or
``{file: ..., columns: {...}}``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from harness.core.errors import HarnessError, described, keys_of
from harness.run.content import LISTS
from harness.run.frame import is_frame
from harness.run.io import File, Source, read
from harness.run.run import Run

Systems = Source | Sequence[Source] | Mapping[str, Source | Sequence[Source]]
"""A run; a list of them, a system each; or ``{name: run}``, where a list of runs has several of one
system.
"""
EXPECTED = (
    "a path, a list of paths, {name: path} or {name: [path, ...]}; a path may be {file: path, "
    "columns: {doc: pid}}"
)


def read_systems(given: Systems, alone: str) -> dict[str, list[Run]]:
    """The runs of each system, by its name.

    given: one without a name has that of its file, its name in ranx, or ``alone``; of several
    ``alone 1``, ``alone 2``. Raises HarnessError where it is none of ``Systems``, or two systems
    have one name.
    """
    if not is_several(given):
        name = _name(given) or alone
        return {name: [_read(name, given)]}
    named = given if isinstance(given, Mapping) else _named(cast(Sequence[Source], given), alone)
    return {
        str(name): [
            _read(str(name), one) for one in (own if isinstance(own, (list, tuple)) else [own])
        ]
        for name, own in named.items()
    }


def _named(given: Sequence[Source], alone: str) -> dict[str, list[Source]]:
    """Systems of a list, each by its own name or its place."""
    found: dict[str, list[Source]] = {}
    for place, one in enumerate(given, 1):
        name = _name(one) or f"{alone} {place}"
        if name in found:
            raise HarnessError(
                f"{alone}: two systems are called {name}; name them: {{'a': ..., 'b': ...}}"
            )
        found[name] = [one]
    if not found:
        raise HarnessError(f"{alone}: expected at least one, got {described(given)}")
    return found


def is_several(given: Systems) -> bool:
    """Whether this is a list or a mapping of systems, and no run."""
    if isinstance(given, Mapping):
        return any(_is_source(own) or _is_source_list(own) for own in given.values())
    return isinstance(given, (list, tuple))


def _is_source(one: object) -> bool:
    """Whether this is a run in any form, and no list of documents."""
    if isinstance(one, Mapping):
        return any(isinstance(own, (Mapping, list, tuple)) for own in one.values())
    return (
        isinstance(one, (Run, str, Path))
        or is_frame(one)
        or (hasattr(one, "to_dict") and not hasattr(one, "iloc"))
    )


def _is_source_list(own: object) -> bool:
    """Whether these are runs; a list of texts is one of documents."""
    return isinstance(own, (list, tuple)) and any(
        _is_source(one) and not isinstance(one, str) for one in own
    )


def _name(one: object) -> str | None:
    if isinstance(one, (str, Path)):
        return str(one)
    name = getattr(one, "name", None) if hasattr(one, "to_dict") and not is_frame(one) else None
    return name if isinstance(name, str) and name else None


def _read(name: str, source: Source) -> Run:
    try:
        return read(source)
    except HarnessError as error:
        if isinstance(source, (str, Path)):
            raise
        raise HarnessError(f"{name}: {error}") from None


Files = tuple[File, ...]
"""The files of one system; several are repeats."""


def label(files: Files) -> str:
    """What the files of a system are called."""
    return ", ".join(map(str, files))


def named_files(key: str, given: object) -> dict[str, Files]:
    """The files of each system by its name; one without a name has that of its file or pattern.

    key: as it is typed, ``run``. Raises HarnessError where it is something else, or a file stands
    there twice.
    """
    if isinstance(given, Mapping) and not _is_entry(given):
        found = {str(name): files_of(f"{key}.{name}", own) for name, own in given.items()}
    else:
        each = given if isinstance(given, list) else [given]
        found = {_typed_name(key, one): files_of(key, one) for one in each}
        if len(found) < len(each):
            raise HarnessError(
                f"{key}={given}: a file stands there twice; give each once, or name them"
            )
    if not found:
        raise _unexpected(key, given)
    return found


def files_of(key: str, given: object) -> Files:
    """The files of one system.    key, given: as they are typed, ``run.ours`` and its value."""
    columns = None
    own = given
    if isinstance(given, Mapping):
        keys_of(key, given, ("file", "columns"))
        own, columns = given.get("file"), given.get("columns")
        keys_of(f"{key}.columns", columns, LISTS.typed)
    paths = [path for path in (own if isinstance(own, list) else [own]) if isinstance(path, str)]
    if not paths or (isinstance(own, list) and len(paths) < len(own)):
        raise _unexpected(key, given)
    return tuple(File(path, columns) for path in _matching(paths))


def file_of(key: str, given: object) -> File:
    """The only file of a key.    key, given: as of ``files_of``."""
    found = files_of(key, given)
    if len(found) > 1:
        raise HarnessError(
            f"{key}={label(found)}: expected one file; where a comma is in its name quote it: "
            f"'{key}=\"{','.join(map(str, found))}\"'"
        )
    return found[0]


def _is_entry(given: Mapping[object, object]) -> bool:
    return given.keys() == {"file", "columns"} and isinstance(given["columns"], Mapping)


def _typed_name(key: str, one: object) -> str:
    name = one.get("file") if isinstance(one, Mapping) else one
    if not isinstance(name, str):
        raise _unexpected(key, one)
    return name


def _unexpected(key: str, given: object) -> HarnessError:
    return HarnessError(f"{key}={given}: expected {EXPECTED}")


def _matching(paths: Sequence[str]) -> tuple[str, ...]:
    """The files of a system; a path that is no file but a pattern (``mine.*.trec``) stands for
    those that match.
    """
    from glob import glob, has_magic

    found: dict[str, None] = {}
    for path in paths:
        matching = (
            [path]
            if not has_magic(path) or Path(path).exists()
            else sorted(glob(path, recursive=True))
        )
        if not matching:
            raise HarnessError(f"{path}: no file matches the pattern")
        found.update(dict.fromkeys(matching))
    return tuple(found)
