"""Systems by name: what ``harness.evaluate``, ``compare`` and ``fuse`` take where there are several runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from harness.core.errors import HarnessError, described
from harness.run.frame import is_frame
from harness.run.io import Source, read
from harness.run.run import Run

Systems = Source | Sequence[Source] | Mapping[str, Source | Sequence[Source]]
"""A run; a list of them, a system each; or ``{name: run}``, where a list of runs has several of one system."""


def read_systems(given: Systems, alone: str) -> dict[str, list[Run]]:
    """The runs of each system, by its name.

    given: one without a name has that of its file, its name in ranx, or ``alone``; of several ``alone 1``, ``alone 2``.
    Raises HarnessError where it is none of ``Systems``, or two systems have one name.
    """
    if not is_several(given):
        name = _name(given) or alone
        return {name: [_read(name, given)]}
    if isinstance(given, Mapping):
        named = {str(name): own for name, own in given.items()}
        return {
            name: [_read(name, one) for one in (own if isinstance(own, (list, tuple)) else [own])]
            for name, own in named.items()
        }
    found: dict[str, list[Run]] = {}
    for place, one in enumerate(cast(Sequence[Source], given), 1):
        name = _name(one) or f"{alone} {place}"
        if name in found:
            raise HarnessError(f"{alone}: two systems are called {name}; name them: {{'a': ..., 'b': ...}}")
        found[name] = [_read(name, one)]
    if not found:
        raise HarnessError(f"{alone}: expected at least one, got {described(given)}")
    return found


def is_several(given: Systems) -> bool:
    """Whether this is a list or a mapping of systems, and no run."""
    if isinstance(given, Mapping):
        return any(_is_source(own) or _is_source_list(own) for own in given.values())
    return isinstance(given, (list, tuple))


def _is_source(one: object) -> bool:
    """Whether this is a run in any form, and no list of documents."""
    if isinstance(one, Mapping):
        return any(isinstance(own, (Mapping, list, tuple)) for own in one.values())
    return isinstance(one, (Run, str, Path)) or is_frame(one) or hasattr(one, "to_dict")


def _is_source_list(own: object) -> bool:
    """Whether these are runs; a list of texts is one of documents."""
    return isinstance(own, (list, tuple)) and any(_is_source(one) and not isinstance(one, str) for one in own)


def _name(one: object) -> str | None:
    if isinstance(one, (str, Path)):
        return str(one)
    name = getattr(one, "name", None) if hasattr(one, "to_dict") and not is_frame(one) else None
    return name if isinstance(name, str) and name else None


def _read(name: str, source: Source) -> Run:
    try:
        return read(source)
    except HarnessError as error:
        if isinstance(source, (str, Path)):
            raise
        raise HarnessError(f"{name}: {error}") from None
