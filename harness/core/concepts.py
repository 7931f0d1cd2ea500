"""The room of each concept of ``conf/``, and the concepts' modules by the names that others use: ``harness.fuser``.

It is imported with the package, before the command line has left the working directory, so it imports next to nothing.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

PLUGINS = Path(__file__).parents[1] / "plugins"
ROOMS = {
    "alias": "graph",
    "dataset": "benchmark",
    "encoder": "model",
    "engine": "work",
    "extractor": "graph",
    "fuser": "fusion",
    "metric": "evaluation",
    "normalizer": "fusion",
    "paper": "report",
    "reranker": "fusion",
    "statistic": "evaluation",
    "temperature": "fusion",
    "tracking": "report",
}
"""The room of each concept. ``graph`` and ``retriever`` are rooms themselves."""


class Concept(ModuleType):
    """``harness.<concept>``: what the concept's package has, and its modules, each imported when it is first used."""

    def __getattr__(self, name: str) -> Any:
        """A name of the package in its room; else its module of that name, as ``harness.fuser.rrf``, or a plug-in's."""
        missing = AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name.startswith("__"):
            raise missing
        concept = self.__name__.rpartition(".")[2]
        inside = importlib.import_module(f"harness.{ROOMS[concept]}.{concept}")
        if hasattr(inside, name):
            return getattr(inside, name)
        brought = sorted(PLUGINS.glob(f"*/{concept}/{name}.py"))
        module = ".".join(["harness", *brought[0].parts[-4:-1], name]) if brought else f"{inside.__name__}.{name}"
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise missing from error
