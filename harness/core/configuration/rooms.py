"""Where each concept of ``conf/`` lives, so that a move changes neither identities nor the names that others use.

``harness.fuser`` is what identities, stored sweeps and other people's code call ``harness.fusion.fuser``: the name of
the concept without its room (see harness.core.concepts).
"""

from __future__ import annotations

import functools
from pathlib import Path

from harness.core.concepts import ROOMS as ROOMS

PACKAGE = Path(__file__).parents[2]
"""The folder of the package."""


@functools.cache
def package_folder(folder: str) -> Path:
    """Where ``conf``, ``datasets`` or ``reports/templates`` is: inside the installed package, else beside it."""
    inside = PACKAGE / folder
    return inside if inside.is_dir() else PACKAGE.parent / folder


def roomless(name: str) -> str:
    """The module, without its room: ``harness.fusion.fuser.rrf`` is ``harness.fuser.rrf``; other names stay.

    The folder of a plug-in is left out like a room: ``harness.plugins.mine.fuser.greatest`` is
    ``harness.fuser.greatest``.
    """
    parts = name.split(".")
    if parts[0] == "harness" and parts[1:2] == ["plugins"]:
        return ".".join(["harness", *parts[3:]])
    inside = len(parts) > 2 and parts[0] == "harness" and ROOMS.get(parts[2]) == parts[1]
    return ".".join([parts[0], *parts[2:]]) if inside else name
