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


def read_systems(systems: Systems, alone: str) -> dict[str, Run]:
    """Return the run of each system by its name.

    Args:
        systems: the systems. One without a name has that of its file, its name in ranx, or
            ``alone``; several have ``alone 1``, ``alone 2``.
        alone: see above.

    Raises:
        HarnessError: another type than ``Systems``, or two systems with one name.
    """
    sources: dict[str, Source]
    if isinstance(systems, Mapping) and is_several(systems):
        sources = {str(name): source for name, source in cast(Mapping[Any, Any], systems).items()}
    elif is_several(systems):
        sources = {}
        for place, source in enumerate(cast(Sequence[Source], systems), 1):
            name = _name(source) or f"{alone} {place}"
            if name in sources:
                raise HarnessError(
                    f"{alone}: two systems are called {name}; name them: {{'a': ..., 'b': ...}}"
                )
            sources[name] = source
    else:
        sources = {_name(systems) or alone: cast(Source, systems)}
    if not sources:
        raise HarnessError(f"{alone}: expected at least one, got {described(systems)}")
    return {name: _read(name, source) for name, source in sources.items()}


def is_several(systems: Systems) -> bool:
    """Return whether this is a list or a mapping of systems, and not a run."""
    if isinstance(systems, Mapping):
        return any(_is_source(value) or _is_source_list(value) for value in systems.values())
    return isinstance(systems, (list, tuple))


def _is_source(source: object) -> bool:
    """Return whether this is a run in any form, and not a list of documents."""
    if isinstance(source, Mapping):
        return any(isinstance(value, (Mapping, list, tuple)) for value in source.values())
    return (
        isinstance(source, (Run, str, Path))
        or is_frame(source)
        or (hasattr(source, "to_dict") and not hasattr(source, "iloc"))
    )


def _is_source_list(value: object) -> bool:
    """Return whether these are runs. A list of texts is one of documents."""
    return isinstance(value, (list, tuple)) and any(
        _is_source(source) and not isinstance(source, str) for source in value
    )


def _name(source: object) -> str | None:
    if isinstance(source, (str, Path)):
        return str(source)
    name = (
        getattr(source, "name", None)
        if hasattr(source, "to_dict") and not is_frame(source)
        else None
    )
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


def named_files(key: str, value: object) -> dict[str, Files]:
    """Return the files of each system by its name. One without a name has that of its file or
    pattern.

    Args:
        key: the key as typed, ``run``.
        value: its value.

    Raises:
        HarnessError: another type of value, or a repeated file.
    """
    systems: dict[str, Files] = {}
    is_entry = isinstance(value, Mapping) and value.keys() == {"file", "columns"}
    if isinstance(value, Mapping) and not (is_entry and isinstance(value["columns"], Mapping)):
        systems = {str(name): files_of(f"{key}.{name}", files) for name, files in value.items()}
    else:
        for entry in value if isinstance(value, list) else [value]:
            name = entry.get("file") if isinstance(entry, Mapping) else entry
            if not isinstance(name, str):
                raise _unexpected(key, entry)
            if name in systems:
                raise HarnessError(
                    f"{key}={value}: a file is repeated; give each once, or name them"
                )
            systems[name] = files_of(key, entry)
    if not systems:
        raise _unexpected(key, value)
    return systems


def files_of(key: str, value: object) -> Files:
    """Return the files of one system.

    Args:
        key: the key as typed, ``run.ours``.
        value: its value.
    """
    files, columns = value, None
    if isinstance(value, Mapping):
        keys_of(key, value, ("file", "columns"))
        files, columns = value.get("file"), value.get("columns")
        keys_of(f"{key}.columns", columns, LISTS.typed)
    paths: list[Any] = files if isinstance(files, list) else [files]
    if not paths or not all(isinstance(path, str) for path in paths):
        raise _unexpected(key, value)
    for path in paths:
        first, _, rest = path.partition(" ")
        if ": " in rest and not Path(path).exists():
            raise HarnessError(f"{key}={path}: no such file; a comma is missing: {first}, {rest}")
    return tuple(File(path, columns) for path in _matching(paths))


def file_of(key: str, value: object) -> File:
    """Return the only file of a key. The arguments are those of ``files_of``."""
    is_file = not isinstance(value, Mapping) or "file" in value
    files = files_of(key, value) if is_file else ()
    if len(files) != 1:
        several = ",".join(map(str, files)) or "a.trec,b.trec"
        raise HarnessError(
            f"{key}={label(files) or value}: expected one file, or {{file: PATH, columns: {{doc: "
            f"pid}}}}; several, one after the other: -m {key}={several}; if its name has a comma, "
            f"quote it: '{key}=\"{several}\"'"
        )
    return files[0]


def _unexpected(key: str, value: object) -> HarnessError:
    return HarnessError(f"{key}={value}: expected {EXPECTED}")


def _matching(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the files of a system. A pattern (``mine.*.trec``) that is no file stands for the
    files that match it.
    """
    from glob import glob, has_magic

    files: list[str] = []
    for path in paths:
        is_pattern = has_magic(path) and not Path(path).exists()
        matching = sorted(glob(path, recursive=True)) if is_pattern else [path]
        if not matching:
            raise HarnessError(f"{path}: no file matches the pattern")
        files += matching
    return tuple(dict.fromkeys(files))
