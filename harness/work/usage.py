"""What an artifact is made of: the artifacts that are asked for while it is built, and the seconds that they take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Using:
    """artifacts: ``stage/key`` of each, in the order of asking.    seconds: that they took, built or found.

    started: when this one was asked for (``time.perf_counter``).
    """

    artifacts: dict[str, None] = field(default_factory=dict)
    seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)


_current: ContextVar[Using | None] = ContextVar("using", default=None)


@contextlib.contextmanager
def noting(artifact: str) -> Iterator[Using]:
    """A block that finds or builds an artifact (``stage/key``); the one that is being built around it uses it."""
    mine, around = Using(), _current.get()
    token = _current.set(mine)
    try:
        yield mine
    finally:
        _current.reset(token)
    if around is not None:
        around.artifacts[artifact] = None
        around.seconds += time.perf_counter() - mine.started
