"""Loops over rows in the building of an artifact, of which several processes compute a part each.

Every process that has a share runs the code that builds the artifact. Where it comes to such a loop
it computes the parts of the loop that nobody else holds and reads those of the others, so that each
process has the whole result, and one of them writes it down. A process alone computes all rows at
once, and nothing of the loop is written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from harness.work.parts import Advance, WorkPart, array_part, fill, is_shared
from harness.work.records import RECORDS

Columns = tuple[NDArray[Any], ...]
C = TypeVar("C", bound=Columns)


@dataclass
class Building:
    """The folder of an artifact that several processes build, the lock that is held while one puts
    it together, and how many loops this process has come to.
    """

    folder: Path
    lock: AbstractContextManager[Any]
    loops: int = 0


_building: ContextVar[Building | None] = ContextVar("building", default=None)


@contextlib.contextmanager
def building(current: Building | None) -> Iterator[None]:
    """A block that builds an artifact with other processes, where there may be some; None: this one
    is alone.
    """
    token = _building.set(current if current and is_shared(current.folder) else None)
    try:
        yield
    finally:
        _building.reset(token)


def map_rows(what: str, work: Callable[[slice], C], count: int, size: int) -> C:
    """The columns of ``count`` rows: arrays that ``work`` returns for a slice of them, put together
    along axis 0.

    what: names the loop, and what it is over where that is not the same in every process.    size:
    rows of a part. What ``work`` returns for a row must not depend on the slice. The processes come
    to the same loops in one order. Raises Unfinished where parts belong to other shares,
    FileNotFoundError where another process has ended the whole.
    """
    current = _building.get()
    if current is None or not count:
        return work(slice(0, count))
    folder = current.folder / RECORDS / f"{current.loops:03d}-{what.replace(' ', '-')}-{count}"
    current.loops += 1
    with current.lock:  # so that nothing is put into a folder that is just being ended
        folder.parent.mkdir(exist_ok=True)
        folder.mkdir(exist_ok=True)
    parts = [_part(folder / f"{part.start:09d}.npz", part, work) for part in cut(count, size)]
    fill(folder, parts, what)
    found = [_read(part.path) for part in parts]
    return cast("C", tuple(np.concatenate(column) for column in zip(*found, strict=True)))


def cut(count: int, size: int) -> list[slice]:
    """``count`` rows in slices of ``size``, the last of which may be smaller."""
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]


def _part(path: Path, part: slice, work: Callable[[slice], Columns]) -> WorkPart:
    def compute(advance: Advance) -> dict[str, NDArray[Any]]:
        with building(None):  # a loop within a part is the part's own
            columns = work(part)
        advance(part.stop - part.start)
        return {f"arr_{place}": column for place, column in enumerate(columns)}

    return array_part(path, compute, part.stop - part.start)


def _read(path: Path) -> Columns:
    with np.load(path, allow_pickle=False) as found:
        return tuple(found[f"arr_{place}"] for place in range(len(found.files)))
