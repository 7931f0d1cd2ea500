"""The room of each concept of ``conf/``.

``harness.fuser`` is the name of ``harness.fusion.fuser`` in identities, stored sweeps and other
people's code: the concept without its room. A move to another room therefore changes no identity.
This module is imported with the package, before the command line has left the working directory, so
it imports as little as possible.
"""

from __future__ import annotations

import functools
import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).parents[1]
"""The folder of the package."""
PLUGINS = PACKAGE / "plugins"
"""The folder of plug-ins, each with ``conf/``, ``command/`` and code by concept.

The ``__init__`` of a plug-in may have ``NEEDS = ("other",)``. Additions to a command of the core
have that command's name: keys and defaults in ``conf/<command>.yaml``, help and code in
``addition/<command>.py``. A module of ``python/`` adds the function of its own name to ``harness``.
"""
ROOMS = {
    "dataset": "benchmark",
    "encoder": "model",
    "engine": "work",
    "extractor": "graph",
    "fuser": "fusion",
    "metric": "evaluation",
    "normalizer": "fusion",
    "reranker": "fusion",
    "statistic": "evaluation",
    "temperature": "fusion",
    "tracking": "report",
}
"""The room of each concept. ``graph`` and ``retriever`` are rooms themselves."""


class Concept(ModuleType):
    """The module ``harness.<concept>``: the names of the concept's package, and its modules, which
    are imported at their first use.
    """

    def __getattr__(self, name: str) -> Any:
        """Return a name of the package, or its module of that name (``harness.fuser.rrf``), or a
        plug-in's.
        """
        missing = AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name.startswith("__"):
            raise missing
        concept = self.__name__.rpartition(".")[2]
        inside = importlib.import_module(f"harness.{ROOMS[concept]}.{concept}")
        if hasattr(inside, name):
            return getattr(inside, name)
        in_plugins = sorted(PLUGINS.glob(f"*/{concept}/{name}.py"))
        module = f"{inside.__name__}.{name}"
        if in_plugins:
            module = ".".join(["harness", *in_plugins[0].parts[-4:-1], name])
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise missing from error


@functools.cache
def package_folder(folder: str) -> Path:
    """Return the place of ``conf``, ``datasets`` or ``reports/templates``, inside the installed
    package or next to it.
    """
    inside = PACKAGE / folder
    return inside if inside.is_dir() else PACKAGE.parent / folder


def roomless(name: str) -> str:
    """Return the name of a module without its room: ``harness.fusion.fuser.rrf`` is
    ``harness.fuser.rrf``.

    The folder of a plug-in is left out like a room: ``harness.plugins.mine.fuser.greatest`` is
    ``harness.fuser.greatest``. Other names are returned unchanged.
    """
    parts = name.split(".")
    if parts[0] == "harness" and parts[1:2] == ["plugins"]:
        return ".".join(["harness", *parts[3:]])
    inside = len(parts) > 2 and parts[0] == "harness" and ROOMS.get(parts[2]) == parts[1]
    return ".".join([parts[0], *parts[2:]]) if inside else name
