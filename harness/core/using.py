"""What an artifact is made of: the artifacts that are asked for while it is built, and the seconds that they take."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Using:
    """artifacts: ``stage/key`` of each, in the order of asking.    seconds: that they took, built or found."""

    artifacts: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0


_current: ContextVar[Using | None] = ContextVar("using", default=None)


@contextlib.contextmanager
def using() -> Iterator[Using]:
    """A block that builds an artifact."""
    mine = Using()
    token = _current.set(mine)
    try:
        yield mine
    finally:
        _current.reset(token)


def note(artifact: str, seconds: float) -> None:
    """Tell the artifact that is being built, if one is, that it uses this one."""
    if (building := _current.get()) is not None:
        building.artifacts[artifact] = None
        building.seconds += seconds
