"""What is not installed: the extra of this package that brings it, and the line that
installs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.core.errors import HarnessError

LAUNCHERS = {
    "joblib": ("hydra_joblib_launcher", "joblib"),
    "slurm": ("hydra_submitit_launcher", "slurm"),
    "submitit_slurm": ("hydra_submitit_launcher", "slurm"),
    "submitit_local": ("hydra_submitit_launcher", "slurm"),
}
"""By launcher: Hydra's plugin, and the extra of this package that installs it."""


DISTRIBUTION = "multihop-harness"
OF_ANOTHER_NAME = {"faiss": "faiss-cpu", "sklearn": "scikit-learn"}
"""The distribution of a module that is not called as the module is."""


def check_launcher(arguments: Sequence[str]) -> None:
    """Raise HarnessError that names the extra where a launcher's plugin is not installed."""
    for argument in arguments:
        key, _, name = argument.partition("=")
        if key == "hydra/launcher" and name in LAUNCHERS:
            plugin, extra = LAUNCHERS[name]
            if not _installed(plugin):
                raise HarnessError(
                    f"hydra/launcher={name} needs the extra `{extra}`: {pip_install(extra)}"
                )


def _installed(plugin: str) -> bool:
    try:
        return importlib.util.find_spec(f"hydra_plugins.{plugin}") is not None
    except ModuleNotFoundError:  # no plugin at all
        return False


def missing_library(error: ImportError, asking: str) -> HarnessError | None:
    """One line with the pip command that installs what ``asking`` (a command) lacks; of several
    extras the smallest.

    None where the library is there, and where no extra brings it.
    """
    from packaging.utils import canonicalize_name

    module = (error.name or "").partition(".")[0]
    library = canonicalize_name(OF_ANOTHER_NAME.get(module, module))
    bringing = [extra for extra, libraries in _extras().items() if library in libraries]
    if not bringing or any(Distribution.discover(name=library)):
        return None
    extra = min(bringing, key=lambda name: len(_extras()[name]))
    return HarnessError(f"{asking} needs {library}, which is not installed: {pip_install(extra)}")


def need(module: str, asking: str, extra: str) -> Any:
    """A library that an extra brings, imported for what was ``asking``. Raises HarnessError where
    it is not there.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise HarnessError(
            f"{asking} needs {name}, of the extra `{extra}`: {pip_install(extra)}"
        ) from error


def pip_install(extra: str) -> str:
    """The line that adds an extra to this installation: from the folder that it was installed from,
    else by name.
    """
    return f"pip install '{_source() or DISTRIBUTION}[{extra}]'"


def _source() -> str | None:
    """The folder of sources, where pip installed from one that is still there (PEP 610)."""
    try:
        told = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    place = unquote(urlsplit(str(told.get("url", ""))).path)
    return place if place and Path(place, "pyproject.toml").is_file() else None


@cache
def _extras() -> dict[str, set[str]]:
    """The libraries of each extra, as the installed distribution says."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    extras: dict[str, set[str]] = defaultdict(set)
    for requirement in map(Requirement, lines):
        if found := re.search(r'extra == "([^"]+)"', str(requirement.marker)):
            extras[found[1]].add(canonicalize_name(requirement.name))
    return dict(extras)
