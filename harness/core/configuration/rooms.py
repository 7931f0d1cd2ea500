"""Where each concept of ``conf/`` lives, so that a move changes neither identities nor the names that others use.

``harness.fuser`` is what identities, stored sweeps and other people's code call ``harness.fusion.fuser``: the name of
the concept without its room. ``install`` lets Python import by it.
"""

from __future__ import annotations

import functools
import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).parents[2]
"""The folder of the package."""

ROOMS = {
    "alias": "graph",
    "dataset": "benchmark",
    "encoder": "model",
    "endpoint": "model",
    "engine": "work",
    "extractor": "graph",
    "fuser": "fusion",
    "gate": "model",
    "metric": "evaluation",
    "normalizer": "fusion",
    "paper": "report",
    "reader": "model",
    "reranker": "fusion",
    "statistic": "evaluation",
    "target": "sweep",
    "temperature": "fusion",
    "tracking": "report",
}
"""The room of each concept. ``graph`` and ``retriever`` are rooms themselves."""


@functools.cache
def package_folder(folder: str) -> Path:
    """Where ``conf``, ``datasets`` or ``reports/templates`` is: inside the installed package, else beside it."""
    inside = PACKAGE / folder
    return inside if inside.is_dir() else PACKAGE.parent / folder


def located(name: str) -> str:
    """The module, with its room: ``harness.fuser.rrf`` is ``harness.fusion.fuser.rrf``; other names stay."""
    top, _, rest = name.partition(".")
    concept = rest.partition(".")[0]
    return f"harness.{ROOMS[concept]}.{rest}" if top == "harness" and concept in ROOMS else name


def roomless(name: str) -> str:
    """The inverse of ``located``: ``harness.fusion.fuser.rrf`` is ``harness.fuser.rrf``; other names stay.

    A paper's folder is left out like a room: ``harness.papers.dice.fuser.dice`` is ``harness.fuser.dice``.
    """
    parts = name.split(".")
    if parts[:2] == ["harness", "papers"]:
        return ".".join(["harness", *parts[3:]])
    inside = len(parts) > 2 and parts[0] == "harness" and ROOMS.get(parts[2]) == parts[1]
    return ".".join([parts[0], *parts[2:]]) if inside else name


class _Located(MetaPathFinder, Loader):
    """Finds ``harness.<concept>...``, which is the module of ``located`` and no copy of it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return None if located(name) == name else ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(located(module.__name__))


def install() -> None:
    """Let ``import harness.<concept>`` mean the concept in its room; a second call changes nothing."""
    if not any(isinstance(finder, _Located) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Located())  # before the finder of files, which would make a copy
