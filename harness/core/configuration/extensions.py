"""Configurations of other packages: the folders in which Hydra and ``names`` look beside our own ``conf/``.

An installed package names its folder as an entry point of the group ``multihop_harness.conf``; ``--config-dir`` and
``hydra.searchpath`` of a command name others; ``search`` does so in Python.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.core.configuration.rooms import package_folder
from harness.core.errors import HarnessError

GROUP = "multihop_harness.conf"
"""The group of entry points; a value is the dotted name of a package's folder of configurations."""

COMMANDS = "multihop_harness.command"
"""The group of entry points of commands; a value is the dotted name of a module such as those of harness.command."""

SEARCHED: list[Path] = []
"""The folders that ``search`` was called with."""


def search(folder: str | Path) -> None:
    """Find the configurations of this folder too: for a notebook, or for tests of a package that is not installed."""
    if (place := Path(folder).resolve()) not in SEARCHED:
        SEARCHED.append(place)


def folders() -> list[Path]:
    """Our ``conf/`` and all others, in the order in which they are looked through.

    Raises HarnessError where two of them hold different files of one concept and name.
    """
    return list(_checked((_own(), *_installed(), *_of_the_command(), *SEARCHED)))


def commands() -> dict[str, str]:
    """The modules of other packages' commands, by what is typed."""
    return {point.name: point.value for point in importlib.metadata.entry_points(group=COMMANDS)}


def primary(name: str) -> Path | None:
    """The file ``<name>.yaml`` of a command, of the first folder that has one."""
    return next((path for folder in folders() if (path := folder / f"{name}.yaml").is_file()), None)


def extend_hydra() -> None:
    """Let Hydra compose from these folders as well."""
    from hydra.core.plugins import Plugins

    Plugins.instance().register(_plugin())


@functools.cache
def _plugin() -> type:
    """One class, however often Hydra is extended: of each that it knows it searches the folders once more."""
    from hydra.core.config_search_path import ConfigSearchPath
    from hydra.plugins.search_path_plugin import SearchPathPlugin

    class Others(SearchPathPlugin):
        def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
            for folder in folders()[1:]:
                search_path.append(GROUP, f"file://{folder}")

    return Others


@functools.cache
def _own() -> Path:
    return package_folder("conf").resolve()


@functools.cache
def _installed() -> tuple[Path, ...]:
    return tuple(
        folder
        for point in sorted(importlib.metadata.entry_points(group=GROUP))
        for folder in _package(point.value, f"entry point {GROUP}: {point.name} = {point.value}")
    )


def _of_the_command() -> Iterator[Path]:
    """The folders of ``--config-dir`` and ``hydra.searchpath``."""
    hydra = sys.modules.get("hydra.core.hydra_config")
    config = hydra and hydra.HydraConfig.instance().cfg
    for source in config.hydra.runtime.config_sources if config else ():
        if source.provider in ("main", "hydra", "schema", GROUP):
            continue
        if source.schema == "pkg":
            yield from _package(source.path, f"hydra.searchpath: pkg://{source.path}")
        elif source.schema == "file":
            yield Path(source.path).resolve()


def _package(name: str, place: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(name.replace("/", "."))
    except ImportError as error:
        raise HarnessError(f"{place}: {error}; reinstall or remove that package") from error
    if spec is None or not spec.submodule_search_locations:
        raise HarnessError(f"{place}: there is no such folder; the value is a package's folder, e.g. my_fusion.conf")
    return [Path(folder).resolve() for folder in spec.submodule_search_locations]


@functools.cache
def _checked(looked: tuple[Path, ...]) -> tuple[Path, ...]:
    found = tuple(dict.fromkeys(looked))
    for number, folder in enumerate(found):
        for concept in (path.name for path in found[0].iterdir() if path.is_dir()):
            for path in (folder / concept).glob("*.yaml"):
                for other in (earlier / concept / path.name for earlier in found[:number]):
                    if other.is_file() and other.read_bytes() != path.read_bytes():
                        raise HarnessError(f"{path}: {concept}={path.stem} is already {other}; give it another name")
    return found
