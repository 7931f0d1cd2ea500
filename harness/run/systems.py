"""Systems by name, the input of ``harness.evaluate``, ``compare`` and ``fuse`` if there are several
runs.

On the command line they are files: a path, a pattern, several files of one system, or ``{file: ...,
columns: {...}}``.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from harness.core.errors import HarnessError, described, keys_of
from harness.run.content import LISTS
from harness.run.frame import is_frame
from harness.run.io import File, Source, read
from harness.run.run import Run

Systems = Source | Sequence[Source] | Mapping[str, Source]
"""A run, a list of runs, each a system, or ``{name: run}``."""
EXPECTED = (
    "a path, a list of paths, {name: path} or {name: [path, ...]}; a path may be {file: path, "
    "columns: {doc: pid}}"
)


def read_systems(given: Systems, alone: str) -> dict[str, Run]:
    """Return the run of each system by its name.

    Args:
        given: the systems. One without a name has that of its file, its name in ranx, or ``alone``;
            several have ``alone 1``, ``alone 2``.
        alone: see above.

    Raises:
        HarnessError: another type than ``Systems``, or two systems with one name.
    """
    systems: dict[str, Source]
    if isinstance(given, Mapping) and is_several(given):
        systems = {str(name): own for name, own in cast(Mapping[Any, Any], given).items()}
    elif is_several(given):
        systems = {}
        for place, one in enumerate(cast(Sequence[Source], given), 1):
            name = _name(one) or f"{alone} {place}"
            if name in systems:
                raise HarnessError(
                    f"{alone}: two systems are called {name}; name them: {{'a': ..., 'b': ...}}"
                )
            systems[name] = one
    else:
        systems = {_name(given) or alone: cast(Source, given)}
    if not systems:
        raise HarnessError(f"{alone}: expected at least one, got {described(given)}")
    return {name: _read(name, own) for name, own in systems.items()}


def is_several(given: Systems) -> bool:
    """Return whether this is a list or a mapping of systems, and not a run."""
    if isinstance(given, Mapping):
        return any(_is_source(own) or _is_source_list(own) for own in given.values())
    return isinstance(given, (list, tuple))


def _is_source(one: object) -> bool:
    """Return whether this is a run in any form, and not a list of documents."""
    if isinstance(one, Mapping):
        return any(isinstance(own, (Mapping, list, tuple)) for own in one.values())
    return (
        isinstance(one, (Run, str, Path))
        or is_frame(one)
        or (hasattr(one, "to_dict") and not hasattr(one, "iloc"))
    )


def _is_source_list(own: object) -> bool:
    """Return whether these are runs. A list of texts is one of documents."""
    return isinstance(own, (list, tuple)) and any(
        _is_source(one) and not isinstance(one, str) for one in own
    )


def _name(one: object) -> str | None:
    if isinstance(one, (str, Path)):
        return str(one)
    name = getattr(one, "name", None) if hasattr(one, "to_dict") and not is_frame(one) else None
    return name if isinstance(name, str) and name else None


def short_names(names: Collection[str]) -> dict[str, str]:
    """Return the name of each system without the folders of an absolute path.

    Folders that tell two files of one name apart are kept.
    """
    paths = {name: Path(name) for name in names if os.path.isabs(name)}
    if not paths:
        return {name: name for name in names}
    files = {name: path.name for name, path in paths.items()}
    if len({*files.values(), *(set(names) - set(paths))}) < len(set(names)):
        shared = os.path.commonpath([path.parent for path in paths.values()])
        files = {name: str(path.relative_to(shared)) for name, path in paths.items()}
    return {name: files.get(name, name) for name in names}


def _read(name: str, source: Source) -> Run:
    try:
        return read(source)
    except HarnessError as error:
        if isinstance(source, (str, Path)):
            raise
        raise HarnessError(f"{name}: {error}") from None


Files = tuple[File, ...]
"""The files of one system. Several are repeats."""


def label(files: Files) -> str:
    """Return the name of a system's files."""
    return ", ".join(map(str, files))


def named_files(key: str, given: object) -> dict[str, Files]:
    """Return the files of each system by its name. One without a name has that of its file or
    pattern.

    Args:
        key: the key as typed, ``run``.
        given: its value.

    Raises:
        HarnessError: another type of value, or a repeated file.
    """
    found: dict[str, Files] = {}
    entry = isinstance(given, Mapping) and given.keys() == {"file", "columns"}
    if isinstance(given, Mapping) and not (entry and isinstance(given["columns"], Mapping)):
        found = {str(name): files_of(f"{key}.{name}", own) for name, own in given.items()}
    else:
        for one in given if isinstance(given, list) else [given]:
            name = one.get("file") if isinstance(one, Mapping) else one
            if not isinstance(name, str):
                raise _unexpected(key, one)
            if name in found:
                raise HarnessError(
                    f"{key}={given}: a file is repeated; give each once, or name them"
                )
            found[name] = files_of(key, one)
    if not found:
        raise _unexpected(key, given)
    return found


def files_of(key: str, given: object) -> Files:
    """Return the files of one system.

    Args:
        key: the key as typed, ``run.ours``.
        given: its value.
    """
    columns = None
    own = given
    if isinstance(given, Mapping):
        keys_of(key, given, ("file", "columns"))
        own, columns = given.get("file"), given.get("columns")
        keys_of(f"{key}.columns", columns, LISTS.typed)
    paths = [path for path in (own if isinstance(own, list) else [own]) if isinstance(path, str)]
    if not paths or (isinstance(own, list) and len(paths) < len(own)):
        raise _unexpected(key, given)
    for path in paths:
        first, _, rest = path.partition(" ")
        if ": " in rest and not Path(path).exists():
            raise HarnessError(f"{key}={path}: no such file; a comma is missing: {first}, {rest}")
    return tuple(File(path, columns) for path in _matching(paths))


def file_of(key: str, given: object) -> File:
    """Return the only file of a key. The arguments are those of ``files_of``."""
    is_file = not isinstance(given, Mapping) or "file" in given
    found = files_of(key, given) if is_file else ()
    if len(found) != 1:
        several = ",".join(map(str, found)) or "a.trec,b.trec"
        raise HarnessError(
            f"{key}={label(found) or given}: expected one file, or {{file: PATH, columns: {{doc: "
            f"pid}}}}; several, one after the other: -m {key}={several}; if its name has a comma, "
            f"quote it: '{key}=\"{several}\"'"
        )
    return found[0]


def _unexpected(key: str, given: object) -> HarnessError:
    return HarnessError(f"{key}={given}: expected {EXPECTED}")


def _matching(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the files of a system. A pattern (``mine.*.trec``) that is no file stands for the
    files that match it.
    """
    from glob import glob, has_magic

    found: list[str] = []
    for path in paths:
        is_pattern = has_magic(path) and not Path(path).exists()
        matching = sorted(glob(path, recursive=True)) if is_pattern else [path]
        if not matching:
            raise HarnessError(f"{path}: no file matches the pattern")
        found += matching
    return tuple(dict.fromkeys(found))
