"""What a mistake on the command line should have been: the nearest key, or the extra that brings what is missing."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit

from harness.core.errors import HarnessError, nearest

if TYPE_CHECKING:
    from omegaconf import DictConfig

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
                raise HarnessError(f"hydra/launcher={name} needs the extra `{extra}`: {pip_install(extra)}")


def _installed(plugin: str) -> bool:
    try:
        return importlib.util.find_spec(f"hydra_plugins.{plugin}") is not None
    except ModuleNotFoundError:  # no plugin at all
        return False


@contextmanager
def suggest_key(whole: Callable[[], DictConfig]) -> Iterator[None]:
    """A block in which Hydra's error about an unknown key becomes a HarnessError with the nearest key of conf/.

    whole: gives the configuration without overrides, when its keys are needed.
    """
    from hydra.errors import ConfigCompositionException
    from omegaconf import OmegaConf

    try:
        yield
    except ConfigCompositionException as error:
        found = re.search(r"Could not (?:override|delete from config\.) '([\w.@/]+)'", str(error))
        if found is None or "=" in found[1]:
            raise
        known = sorted(_keys(cast("dict[str, Any]", OmegaConf.to_container(whole()))))
        inner = re.search(r"Key '([^']+)' is not in struct", str(error.__cause__))
        if found[1] in known and inner is not None:
            own = [key.removeprefix(f"{found[1]}.") for key in known if key.startswith(f"{found[1]}.")]
            raise HarnessError(
                f"{found[1]} has no {inner[1]}{nearest(inner[1], own)}; it has {', '.join(own)}; leave it out, or add "
                f"a new one with a plus: +{found[1]}.{inner[1]}=..."
            ) from error
        last, inside = found[1].rpartition(".")[2], [key for key in known if key.startswith(f"{found[1]}.")]
        same = inside or [key for key in known if key.rpartition(".")[2] == last]  # typed below another concept
        did_you = f" (did you mean {min(same, key=len)}?)" if same else nearest(found[1], known)
        raise HarnessError(
            f"{found[1]} is no key of this command{did_you}; see `--cfg job` for all keys, or add "
            f"a new one with a plus: +{found[1]}=..."
        ) from error


def _keys(node: Mapping[Any, Any], prefix: str = "") -> Iterator[str]:
    for key, value in node.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _keys(value, f"{prefix}{key}.")


def missing_library(error: ImportError, asking: str) -> HarnessError | None:
    """One line with the pip command that installs what ``asking`` (a command) lacks; of several extras the smallest.

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


def pip_install(extra: str) -> str:
    """The line that adds an extra to this installation: from the folder that it was installed from, else by name."""
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
