"""Plug-ins: further folders of configurations next to ``conf/``, and the commands of plug-ins.

A plug-in of this tree is a folder of ``harness/plugins``. An installed package names its folder as
an entry point of the group ``multihop_harness.conf``. ``--config-dir`` adds a folder for one
command, and ``search`` adds one in Python. A plug-in that cannot be imported is left out with a
warning of one line.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.core.concepts import PACKAGE, PLUGINS, package_folder
from harness.core.errors import HarnessError, in_words

log = logging.getLogger(__name__)

BROUGHT = "brought.json"
"""A file in the folder of plug-ins that lists what each of them has, so that an error can name a
missing plug-in (``make house`` writes it).
"""

GROUP = "multihop_harness.conf"
"""The group of entry points of configurations. A value is the dotted name of a package's folder."""

COMMANDS = "multihop_harness.command"
"""The group of entry points of commands. A value is the dotted name of a module like those of
harness.command.
"""

SEARCHED: list[Path] = []
"""The folders that were given to ``search``."""


def search(folder: str | Path) -> None:
    """Add a folder of configurations, for a notebook or for tests of a package that is not
    installed.
    """
    if (place := Path(folder).resolve()) not in SEARCHED:
        SEARCHED.append(place)


def folders() -> list[Path]:
    """Return the core's ``conf/`` and all other folders, in the order of the search.

    Raises:
        HarnessError: two folders have different files of one concept and name.
    """
    return list(_checked((*_lasting(), *_of_the_command(), *SEARCHED)))


@functools.cache
def _lasting() -> tuple[Path, ...]:
    """Return the folders that stay the same while a process runs."""
    in_tree = [package_folder("conf"), *(folder / "conf" for folder in plugins().values())]
    return (*in_tree, *_installed())


@functools.cache
def plugins() -> Mapping[str, Path]:
    """Return the folder of each plug-in of this tree by name.

    Plug-ins that cannot be imported, or whose ``NEEDS`` are missing, are left out.
    """
    plugin_folders: dict[str, Path] = {}
    needs: dict[str, set[str]] = {}
    for init in sorted(PLUGINS.glob("*/__init__.py")):
        name = init.parent.name
        try:
            module = importlib.import_module(f"harness.plugins.{name}")
        except (Exception, SystemExit) as error:  # its code may raise anything
            log.warning("plug-in %s is left out: %s", name, in_words(error))
            continue
        needs[name] = {*getattr(module, "NEEDS", ())}
        plugin_folders[name] = init.parent

    def missing_needs(name: str) -> set[str]:
        return needs[name] - plugin_folders.keys()

    while left := next(filter(missing_needs, plugin_folders), None):
        lacking = " and ".join(sorted(missing_needs(left)))
        log.warning("plug-in %s is left out: it needs the plug-in %s", left, lacking)
        del plugin_folders[left]
    return plugin_folders


def missing_plugin(what: str) -> str:
    """Return the end of an error that names the missing plug-in; empty if no plug-in has it.

    Args:
        what: a command, or ``<concept>/<name>`` of a configuration.
    """
    path = PLUGINS / BROUGHT
    names_by_plugin = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for name, names in names_by_plugin.items():
        if what in names and name not in plugins():
            folder = f"harness/plugins/{name}"
            return f"needs the plug-in {name}, which is not here; put back the folder {folder}"
    return ""


def commands() -> dict[str, str]:
    """Return the modules of the plug-ins' commands by the name of the command."""
    installed = {point.name: point.value for point in entry_points(group=COMMANDS)}
    return {**installed, **modules("command")}


def modules(kind: str) -> dict[str, str]:
    """Return the modules in the folders of that name of the plug-ins of this tree, by their last
    names.
    """
    return {
        path.stem: f"harness.plugins.{name}.{kind}.{path.stem}"
        for name, folder in plugins().items()
        for path in sorted((folder / kind).glob("*.py"))
        if path.stem != "__init__"
    }


def load(kind: str, name: str, asking: str) -> ModuleType:
    """Return a module of a folder ``kind`` of a plug-in of this tree.

    Args:
        kind: the name of the folder.
        name: the name of the module.
        asking: the key or command that needs it, for the error.

    Raises:
        HarnessError: no plug-in has it.
    """
    if (module := modules(kind).get(name)) is None:
        lacking = missing_plugin(f"{kind}/{name}") or f"needs a plug-in with {kind}/{name}.py"
        raise HarnessError(f"{asking} {lacking}")
    return importlib.import_module(module)


def primary(name: str) -> Path | None:
    """Return the file ``<name>.yaml`` of a command from the first folder that has one."""
    paths = (folder / f"{name}.yaml" for folder in folders())
    return next(filter(Path.is_file, paths), None)


def config_name(command: str) -> str:
    """Return the name of a command's file in conf/: its own, or ``config`` if it has none."""
    return command if primary(command) else "config"


def added(name: str) -> dict[str, object]:
    """Return the keys and ``defaults`` that plug-ins of this tree add to the core's
    ``conf/<name>.yaml``.

    A mapping extends the mapping of the same name.
    """
    from harness.core.configuration.yaml_files import read_conf

    added_keys: dict[str, object] = {}
    defaults: list[object] = []
    for path in additions().get(name, ()):
        content = {**read_conf(path)}
        defaults += content.pop("defaults", [])
        added_keys = {**merge(added_keys, content), "defaults": defaults}
    return added_keys


def merge(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return two mappings as one, in which values of the second replace those of the first.

    Mappings below the same key are merged, too.
    """
    both = {
        key: merge(first[key], second[key])
        for key in first.keys() & second.keys()
        if isinstance(first[key], Mapping) and isinstance(second[key], Mapping)
    }
    return {**first, **second, **both}


@functools.cache
def additions() -> Mapping[str, Sequence[Path]]:
    """Return the files of plug-ins that have the name of a file in the core's ``conf/``, by that
    name.
    """
    files: dict[str, list[Path]] = {}
    for folder in plugins().values():
        for path in sorted((folder / "conf").glob("*.yaml")):
            if (package_folder("conf") / path.name).is_file():
                files.setdefault(path.stem, []).append(path)
    return files


def inputs() -> Mapping[str, set[str]]:
    """Return the entries that plug-ins add to the defaults of ``conf/config.yaml``.

    Returns:
        By override (``retriever@relations=mention_paths``), the rerankers of that plug-in, which
        read the entry.
    """
    from harness.core.configuration.yaml_files import read_conf

    readers_by_entry = {}
    for path in additions().get("config", ()):
        entries = read_conf(path)["defaults"]
        readers = {file.stem for file in (path.parent / "reranker").glob("*.yaml")}
        for entry in entries:
            for group, name in entry.items():
                readers_by_entry[f"{group.lstrip('/')}={name}"] = readers
    return readers_by_entry


def extend_hydra() -> None:
    """Let Hydra compose from all folders, including the ``added`` keys of the core's files."""
    from hydra.core.config_store import ConfigStore
    from hydra.core.plugins import Plugins

    Plugins.instance().register(_plugin())
    for name in additions():
        node = {**added(name), **({"defaults": []} if name == "config" else {})}
        ConfigStore.instance().store(name, node, group="added", package="_global_")


@functools.cache
def _plugin() -> type:
    """Return the search path plug-in. It is one class: Hydra searches the folders once more for
    each class.
    """
    from hydra.core.config_search_path import ConfigSearchPath
    from hydra.plugins.search_path_plugin import SearchPathPlugin

    class Others(SearchPathPlugin):
        def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
            for folder in folders()[1:]:
                search_path.append(GROUP, f"file://{folder}")

    return Others


@functools.cache
def _installed() -> tuple[Path, ...]:
    """Return the folders of the entry points, without packages that cannot be imported."""
    installed: list[Path] = []
    for point in sorted(entry_points(group=GROUP)):
        try:
            spec = importlib.util.find_spec(point.value)
            places = (spec and spec.submodule_search_locations) or ()
            problem = "" if places else "that folder does not exist"
        except (Exception, SystemExit) as error:  # its code may raise anything
            places, problem = (), in_words(error)
        installed += [Path(place).resolve() for place in places]
        if problem:
            what = f"{point.name} = {point.value} of {GROUP}"
            log.warning("plug-in %s is left out: %s; reinstall or remove it", what, problem)
    return tuple(installed)


def packages() -> set[str]:
    """Return the names of other packages whose classes are in configurations."""
    names: set[str] = set()
    for folder in folders():
        for path in folder.glob("*/*.yaml"):
            names |= {*re.findall(r"_target_: *(\w+)\.", path.read_text(encoding="utf-8"))}
    return names - {PACKAGE.name}


def _of_the_command() -> Iterator[Path]:
    """Yield the folders of ``--config-dir`` in a job that Hydra started in another process."""
    hydra = sys.modules.get("hydra.core.hydra_config")
    config = hydra and hydra.HydraConfig.instance().cfg
    for source in config.hydra.runtime.config_sources if config else ():
        is_standard = source.provider in ("main", "hydra", "schema", GROUP)
        if not is_standard and source.schema == "file":
            yield Path(source.path).resolve()


@functools.cache
def _checked(places: tuple[Path, ...]) -> tuple[Path, ...]:
    existing = tuple(dict.fromkeys(place.resolve() for place in places if place.is_dir()))
    concepts = {path.name for path in existing[0].iterdir() if path.is_dir()}
    files: dict[tuple[str, str], Path] = {}
    for folder in existing:
        for path in folder.glob("*/*.yaml"):
            concept, name = path.parent.name, path.stem
            other = files.setdefault((concept, name), path)
            same = other == path or other.read_bytes() == path.read_bytes()
            if concept in concepts and not same:
                raise HarnessError(
                    f"{path}: {concept}={name} is already {other}; give it another name"
                )
    return existing
