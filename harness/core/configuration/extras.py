"""Which extra of this distribution brings a library that is not installed."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness.core.errors import HarnessError

DISTRIBUTION = "multihop-harness"
OF_ANOTHER_NAME = {"faiss": "faiss-cpu", "sklearn": "scikit-learn"}
"""The distribution of a module that is not called as the module is."""


def missing_library(error: ImportError, asking: str) -> HarnessError | None:
    """One line with the pip command that installs what ``asking`` (a command) lacks; of several extras the smallest.

    None where the library is there, and where no extra brings it.
    """
    module = (error.name or "").partition(".")[0]
    library = canonicalize_name(OF_ANOTHER_NAME.get(module, module))
    bringing = [extra for extra, libraries in _extras().items() if library in libraries]
    if not bringing or any(Distribution.discover(name=library)):
        return None
    extra = min(bringing, key=lambda name: len(_extras()[name]))
    return HarnessError(f"{asking} needs {library}, which is not installed: pip install '{DISTRIBUTION}[{extra}]'")


@cache
def _extras() -> dict[str, set[str]]:
    """The libraries of each extra, as the installed distribution says."""
    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return {}
    extras: dict[str, set[str]] = defaultdict(set)
    for requirement in map(Requirement, lines):
        if found := re.search(r'extra == "([^"]+)"', str(requirement.marker)):
            extras[found[1]].add(canonicalize_name(requirement.name))
    return dict(extras)
