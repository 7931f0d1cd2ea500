"""The room of each concept of ``conf/``, so that a move changes neither identities nor the names
that others use.

``harness.fuser`` is what identities, stored sweeps and other people's code call
``harness.fusion.fuser``: the name of the concept without its room. This module is imported with the
package, before the command line has left the working directory, so it imports next to nothing.
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
"""A folder a plug-in: ``conf/``, ``command/`` and code by concept. Its ``__init__`` may say
``NEEDS = ("other",)``.

What it adds to a command of the core has that command's name: keys and defaults in
``conf/<command>.yaml``, help and code in ``addition/<command>.py``. A module of ``python/`` adds
the function of its own name to ``harness``.
"""
ROOMS = {
    "alias": "graph",
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
    """``harness.<concept>``: what the concept's package has, and its modules, each imported when it
    is first used.
    """

    def __getattr__(self, name: str) -> Any:
        """A name of the package in its room; else its module of that name, as
        ``harness.fuser.rrf``, or a plug-in's.
        """
        missing = AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name.startswith("__"):
            raise missing
        concept = self.__name__.rpartition(".")[2]
        inside = importlib.import_module(f"harness.{ROOMS[concept]}.{concept}")
        if hasattr(inside, name):
            return getattr(inside, name)
        brought = sorted(PLUGINS.glob(f"*/{concept}/{name}.py"))
        module = (
            ".".join(["harness", *brought[0].parts[-4:-1], name])
            if brought
            else f"{inside.__name__}.{name}"
        )
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise missing from error


@functools.cache
def package_folder(folder: str) -> Path:
    """Where ``conf``, ``datasets`` or ``reports/templates`` is: inside the installed package, else
    beside it.
    """
    inside = PACKAGE / folder
    return inside if inside.is_dir() else PACKAGE.parent / folder


def roomless(name: str) -> str:
    """The module, without its room: ``harness.fusion.fuser.rrf`` is ``harness.fuser.rrf``; other
    names stay.

    The folder of a plug-in is left out like a room: ``harness.plugins.mine.fuser.greatest`` is
    ``harness.fuser.greatest``.
    """
    parts = name.split(".")
    if parts[0] == "harness" and parts[1:2] == ["plugins"]:
        return ".".join(["harness", *parts[3:]])
    inside = len(parts) > 2 and parts[0] == "harness" and ROOMS.get(parts[2]) == parts[1]
    return ".".join([parts[0], *parts[2:]]) if inside else name
