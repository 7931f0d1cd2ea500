"""Libraries that are not installed: the extra that has them, and the command that installs it."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import shutil
import sys
from collections import defaultdict
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.core.errors import HarnessError

DISTRIBUTION = "multihop-harness"
OF_ANOTHER_NAME = {"faiss": "faiss-cpu"}
"""The distributions of modules with another name."""


def missing_library(error: ImportError, asking: str) -> HarnessError | None:
    """Return one line with the pip command for a missing library, or None.

    If several extras have the library, the smallest one is named. The result is None if the library
    is installed or no extra has it.

    Args:
        error: the failed import.
        asking: the command that needs the library.
    """
    from packaging.utils import canonicalize_name

    module = (error.name or "").partition(".")[0]
    library = canonicalize_name(OF_ANOTHER_NAME.get(module, module))
    with_library = [extra for extra, libraries in _extras().items() if library in libraries]
    if not with_library or any(Distribution.discover(name=library)):
        return None
    extra = min(with_library, key=lambda name: len(_extras()[name]))
    return HarnessError(f"{asking} needs {library}, which is not installed: {pip_install(extra)}")


def need(module: str, asking: str, extra: str) -> Any:
    """Return an imported library of an extra.

    Args:
        module: the library.
        asking: the key or command that needs it.
        extra: the extra that has it.

    Raises:
        HarnessError: the library is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise HarnessError(
            f"{asking} needs {name}, of the extra `{extra}`: {pip_install(extra)}"
        ) from error


def pip_install(extra: str) -> str:
    """Return the command that adds an extra to this installation, by its source folder or by its
    name.
    """
    return f"{program('pip')} install '{_source() or DISTRIBUTION}[{extra}]'"


def program(name: str) -> str:
    """Return how a shell in this folder starts a program of this installation: by name if its
    environment is active, otherwise by path.
    """
    path, folder = Path(sys.executable).with_name(name), Path.cwd()
    active = shutil.which(name)
    if (active and Path(active).parent == path.parent) or not path.exists():
        return name
    if path.is_relative_to(folder):
        path = path.relative_to(folder)
    return shlex.quote(str(path))


def _source() -> str | None:
    """Return the source folder of this installation (PEP 610), or None if it no longer exists."""
    try:
        origin = json.loads(distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    place = unquote(urlsplit(str(origin.get("url", ""))).path)
    return place if place and Path(place, "pyproject.toml").is_file() else None


@cache
def _extras() -> dict[str, set[str]]:
    """Return the libraries of each extra, from the installed distribution."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    extras: dict[str, set[str]] = defaultdict(set)
    for requirement in map(Requirement, lines):
        if match := re.search(r'extra == "([^"]+)"', str(requirement.marker)):
            extras[match[1]].add(canonicalize_name(requirement.name))
    return dict(extras)
